package proc

import (
	"fmt"
	"runtime"
)

// A SightLevel is how much of the programs that we started the system lets us see.
type SightLevel string

const (
	SightFull    SightLevel = "full"    // what each of them waits for
	SightPartial SightLevel = "partial" // only where in the kernel they sleep: a verdict is High at most, and often a guess
	SightNone    SightLevel = "none"    // the terminal and the screen alone: a password prompt is High, all else a guess
)

// A Sight is what this machine lets a [Watch] see, as [Inspection] found it.
type Sight struct {
	Level    SightLevel
	Sentence string // for people: what it means, and how to change what can be changed

	System string // the operating system, as runtime.GOOS names it
	Kernel string // its release, where that is known

	// All that follows is of Linux alone.

	Proc        bool   // /proc is there
	Syscall     string // why proc_pid_syscall(5) of a child of ours cannot be read, "" if it can
	NoSyscall   bool   // there is no such file
	Place       bool   // where a child of ours sleeps is told, wchan of proc_pid_wchan(5)
	PtraceScope int    // kernel.yama.ptrace_scope, -1 without Yama
	HidePID     string // the option hidepid of /proc, "" where it hides nothing
	Children    bool   // lists of children are there (CONFIG_PROC_CHILDREN)
	KnownCalls  bool   // the numbers of this processor's system calls are known
}

// Inspection tries what this machine lets us see of what we start. It starts a child for it, so it is not for a process
// that waits for whichever child ends.
func Inspection() Sight { return inspection().conclude() }

// conclude finds the level and the sentence from the rest.
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

// refusal says why the kernel does not tell what a program waits for.
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
