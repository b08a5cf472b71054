#include "textflag.h"

// func vfork() (pid, errno uintptr)
TEXT ·vfork(SB),NOSPLIT|NOFRAME,$0-16
	MOVD	$0x4111, R0 // CLONE_VFORK|CLONE_VM|SIGCHLD
	MOVD	$0, R1
	MOVD	$0, R2
	MOVD	$0, R3
	MOVD	$0, R4
	MOVD	$220, R8 // SYS_CLONE
	SVC // the return address stays in R30
	CMN	$4095, R0
	BCC	ok
	NEG	R0, R0
	MOVD	ZR, pid+0(FP)
	MOVD	R0, errno+8(FP)
	RET
ok:
	MOVD	R0, pid+0(FP)
	MOVD	ZR, errno+8(FP)
	RET
