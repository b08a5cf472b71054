package blocked

import (
	"fmt"
	"runtime"
)

// A VisibilityLevel is how much the system shows us of the programs that we start.
type VisibilityLevel string

const (
	VisibilityFull    VisibilityLevel = "full"    // the system shows what each program waits for
	VisibilityPartial VisibilityLevel = "partial" // only where they sleep in the kernel; a verdict is at most High, and often a guess
	VisibilityNone    VisibilityLevel = "none"    // only the terminal and the screen; a password prompt is High, all else a guess
)

// A Visibility describes what a [Watch] can see on this machine, as [CheckVisibility] found it.
type Visibility struct {
	Level    VisibilityLevel
	Sentence string // for people: the meaning of the level, and how to change what can be changed

	System string // operating system, in the words of runtime.GOOS
	Kernel string // release of the kernel, if known

	// The following fields are for Linux only.

	Proc        bool   // /proc exists
	Syscall     string // why we cannot read proc_pid_syscall(5) of our child, "" if we can
	NoSyscall   bool   // that file does not exist
	Wchan       bool   // the system tells where our child sleeps, wchan of proc_pid_wchan(5)
	PtraceScope int    // value of kernel.yama.ptrace_scope, -1 without Yama
	HidePID     string // option hidepid of /proc, "" if it hides nothing
	Children    bool   // the kernel lists children (CONFIG_PROC_CHILDREN)
	KnownCalls  bool   // we know the system call numbers of this processor
}

// CheckVisibility tests what this machine shows us of the programs that we start. It starts a child for the test. A
// process that waits for any of its children must therefore not call it.
func CheckVisibility() Visibility { return checkVisibility().conclude() }

// conclude derives the level and the sentence from the other fields.
func (v Visibility) conclude() Visibility {
	switch {
	case v.System != "linux":
		v.Level = VisibilityNone
		v.Sentence = fmt.Sprintf("There is no /proc on %s: a password prompt is seen by its echo, any other prompt on the screen alone.", v.System)
		return v
	case !v.Proc:
		v.Level = VisibilityNone
		v.Sentence = "There is no /proc here: what a program waits for is seen on the screen alone. Mount it: mount -t proc proc /proc."
		return v
	case v.Syscall == "" && v.KnownCalls:
		v.Level = VisibilityFull
		v.Sentence = "The kernel tells what each program waits for."
	case v.Syscall == "":
		v.Level = VisibilityNone
		v.Sentence = "The system calls of this processor (" + runtime.GOARCH + ") are not known: what a program waits for is seen on the screen alone."
	default:
		v.Level = VisibilityNone
		if v.Wchan {
			v.Level = VisibilityPartial
		}
		v.Sentence = v.refusal()
	}
	if v.HidePID != "" {
		v.Sentence += " Programs of other users are hidden (hidepid=" + v.HidePID + " of /proc): of those the terminal's echo and the screen tell."
	}
	if !v.Children {
		v.Sentence += " The kernel has no lists of children (CONFIG_PROC_CHILDREN), so that each look goes through all processes."
	}
	return v
}

// refusal explains why the kernel does not tell what a program waits for.
func (v Visibility) refusal() string {
	what := "a password prompt is seen by its echo, any other prompt on the screen alone."
	if v.Wchan {
		what = "what a program waits for is a guess from where in the kernel it sleeps."
	}
	switch {
	case v.NoSyscall:
		return "There is no /proc/PID/syscall here, as in a sandbox like gVisor: " + what
	case v.PtraceScope >= 3:
		return fmt.Sprintf("kernel.yama.ptrace_scope is %d, which forbids to look at programs until the next start: %s "+
			"Put kernel.yama.ptrace_scope = 1 into a file of /etc/sysctl.d and start the machine anew.", v.PtraceScope, what)
	case v.PtraceScope == 2:
		return "kernel.yama.ptrace_scope is 2, which lets only root look at programs: " + what +
			" To change it: sysctl kernel.yama.ptrace_scope=1."
	}
	return "The system does not let us look at what we start (" + v.Syscall + "), as the rules of a container may not: " + what +
		" To change it, give the container the capability SYS_PTRACE."
}
