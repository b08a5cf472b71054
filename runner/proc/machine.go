package proc

// A Machine is what the kernel and its settings allow, as [Survey] found it. What is not known, as on other systems than
// Linux, is zero, and a number -1.
type Machine struct {
	Known bool // the rest was looked at

	Pidfd     error // why no handle of a process can be had, pidfd_open(2)
	PidfdFS   bool  // such a handle has a number of its own for ever, pidfs, Linux 6.9
	Children  bool  // lists of children are there
	Subreaper error // why orphans cannot be adopted, prctl(2)
	Boot      bool  // the boot has a name
	Clock     error // why the time since the boot cannot be had

	Group Group

	Files        Limit // open files of a process
	FileSize     Limit // bytes of a file that a process writes
	Processes    Limit // processes and threads of this user
	AllProcesses Limit // of the machine: pids
	Terminals    Limit // pseudo-terminals of the machine
}

// A Limit is a limit and how much of it is used, each -1 where it is not known or there is none.
type Limit struct{ Used, Most int64 }

// noLimit is what there is no limit of, or none is known.
var noLimit = Limit{-1, -1}

// A Group says whether a control group of our own can be made.
type Group struct {
	Mounted string // where version 2 is mounted, "" if it is not
	Path    string // of our own group there
	Make    error  // why none can be made
	Enter   error  // why no process can be started in one, clone3(2)
	Pids    Limit  // processes of our own group
}

// Survey looks what the kernel and its settings allow. It makes a control group where it may, starts a process in it, and
// removes it again.
func Survey() Machine { return survey() }
