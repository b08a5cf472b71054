#include "textflag.h"

// func vfork() (pid, errno uintptr)
TEXT ·vfork(SB),NOSPLIT|NOFRAME,$0-16
	MOVQ	$0x4111, DI // CLONE_VFORK|CLONE_VM|SIGCHLD
	MOVQ	$0, SI
	MOVQ	$0, DX
	MOVQ	$0, R10
	MOVQ	$0, R8
	MOVQ	$56, AX // SYS_CLONE
	POPQ	R12 // the child overwrites the place of the return address
	SYSCALL
	PUSHQ	R12
	CMPQ	AX, $0xfffffffffffff001
	JLS	ok
	NEGQ	AX
	MOVQ	$0, pid+0(FP)
	MOVQ	AX, errno+8(FP)
	RET
ok:
	MOVQ	AX, pid+0(FP)
	MOVQ	$0, errno+8(FP)
	RET
