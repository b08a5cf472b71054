#include "textflag.h"

// func vfork(trap, first, second uintptr) (pid, errno uintptr)
TEXT ·vfork(SB),NOSPLIT|NOFRAME,$0-40
	MOVD	first+8(FP), R0
	MOVD	second+16(FP), R1
	MOVD	$0, R2
	MOVD	$0, R3
	MOVD	$0, R4
	MOVD	trap+0(FP), R8
	SVC // the return address stays in R30
	CMN	$4095, R0
	BCC	ok
	NEG	R0, R0
	MOVD	ZR, pid+24(FP)
	MOVD	R0, errno+32(FP)
	RET
ok:
	MOVD	R0, pid+24(FP)
	MOVD	ZR, errno+32(FP)
	RET
