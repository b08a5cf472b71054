#include "textflag.h"

// func vfork(trap, first, second uintptr) (pid, errno uintptr)
TEXT ·vfork(SB),NOSPLIT|NOFRAME,$0-40
	MOVQ	first+8(FP), DI
	MOVQ	second+16(FP), SI
	MOVQ	$0, DX
	MOVQ	$0, R10
	MOVQ	$0, R8
	MOVQ	trap+0(FP), AX
	POPQ	R12 // the child overwrites the place of the return address
	SYSCALL
	PUSHQ	R12
	CMPQ	AX, $0xfffffffffffff001
	JLS	ok
	NEGQ	AX
	MOVQ	$0, pid+24(FP)
	MOVQ	AX, errno+32(FP)
	RET
ok:
	MOVQ	AX, pid+24(FP)
	MOVQ	$0, errno+32(FP)
	RET
