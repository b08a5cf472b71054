package proc

import (
	"fmt"
	"runtime"
)

// A SightLevel is how much the system shows us of the programs that we start.
type SightLevel string

const (
	SightFull    SightLevel = "full"    // the system shows what each program waits for
	SightPartial SightLevel = "partial" // only where they sleep in the kernel; a verdict is at most High, and often a guess
	SightNone    SightLevel = "none"    // only the terminal and the screen; a password prompt is High, all else a guess
)

// A Sight describes what a [Watch] can see on this machine, as [Inspection] found it.
type Sight struct {
	Level    SightLevel
	Sentence string // for people: the meaning of the level, and how to change what can be changed

	System string // operating system, in the words of runtime.GOOS
	Kernel string // release of the kernel, if known

	// The following fields are for Linux only.

	Proc        bool   // /proc exists
	Syscall     string // why we cannot read proc_pid_syscall(5) of our child, "" if we can
	NoSyscall   bool   // that file does not exist
	Place       bool   // the system tells where our child sleeps, wchan of proc_pid_wchan(5)
	PtraceScope int    // value of kernel.yama.ptrace_scope, -1 without Yama
	HidePID     string // option hidepid of /proc, "" if it hides nothing
	Children    bool   // the kernel lists children (CONFIG_PROC_CHILDREN)
	KnownCalls  bool   // we know the system call numbers of this processor
}

// Inspection tests what this machine shows us of the programs that we start. It starts a child for the test. A process
// that waits for any of its children must therefore not call it.
func Inspection() Sight { return inspection().conclude() }

// conclude derives the level and the sentence from the other fields.
func (s Sight) conclude() Sight {
	switch {
	case s.System != "linux":
		s.Level = SightNone
		s.Sentence = fmt.Sprintf("There is no /proc on %s: a password prompt is seen by its echo, any other prompt on the screen alone.", s.System)
		return s
	case !s.Proc:
		s.Level = SightNone
		s.Sentence = "There is no /proc here: what a program waits for is seen on the screen alone. Mount it: mount -t proc proc /proc."
		return s
	case s.Syscall == "" && s.KnownCalls:
		s.Level = SightFull
		s.Sentence = "The kernel tells what each program waits for."
	case s.Syscall == "":
		s.Level = SightNone
		s.Sentence = "The system calls of this processor (" + runtime.GOARCH + ") are not known: what a program waits for is seen on the screen alone."
	default:
		s.Level = SightNone
		if s.Place {
			s.Level = SightPartial
		}
		s.Sentence = s.refusal()
	}
	if s.HidePID != "" {
		s.Sentence += " Programs of other users are hidden (hidepid=" + s.HidePID + " of /proc): of those the terminal's echo and the screen tell."
	}
	if !s.Children {
		s.Sentence += " The kernel has no lists of children (CONFIG_PROC_CHILDREN), so that each look goes through all processes."
	}
	return s
}

// refusal explains why the kernel does not tell what a program waits for.
func (s Sight) refusal() string {
	what := "a password prompt is seen by its echo, any other prompt on the screen alone."
	if s.Place {
		what = "what a program waits for is a guess from where in the kernel it sleeps."
	}
	switch {
	case s.NoSyscall:
		return "There is no /proc/PID/syscall here, as in a sandbox like gVisor: " + what
	case s.PtraceScope >= 3:
		return fmt.Sprintf("kernel.yama.ptrace_scope is %d, which forbids to look at programs until the next start: %s "+
			"Put kernel.yama.ptrace_scope = 1 into a file of /etc/sysctl.d and start the machine anew.", s.PtraceScope, what)
	case s.PtraceScope == 2:
		return "kernel.yama.ptrace_scope is 2, which lets only root look at programs: " + what +
			" To change it: sysctl kernel.yama.ptrace_scope=1."
	}
	return "The system does not let us look at what we start (" + s.Syscall + "), as the rules of a container may not: " + what +
		" To change it, give the container the capability SYS_PTRACE."
}
