package proc

// A Machine describes what the kernel and its settings allow, as [Survey] found it. An unknown value is zero, and an
// unknown number -1. On other systems than Linux everything is unknown.
type Machine struct {
	Known bool // the other fields were examined

	Pidfd     error // why we can get no handle of a process, pidfd_open(2)
	PidfdFS   bool  // a handle has a number that stays unique: pidfs, Linux 6.9
	Children  bool  // the kernel lists the children of a process
	Subreaper error // why we cannot adopt orphans, prctl(2)
	Boot      bool  // the boot has a name
	Clock     error // why the time since boot is unavailable

	Group Group

	Files        Limit // open files per process
	FileSize     Limit // bytes per file that a process writes
	Processes    Limit // processes and threads of this user
	AllProcesses Limit // pids of the machine
	Terminals    Limit // pseudoterminals of the machine
}

// A Limit is a limit and how much of it is used. Each number is -1 if it is unknown or there is no limit.
type Limit struct{ Used, Most int64 }

// noLimit stands for no limit, or an unknown one.
var noLimit = Limit{-1, -1}

// A Group describes our control group, and whether we can make one below it.
type Group struct {
	Mounted string // mount point of version 2, "" if it is not mounted
	Path    string // path of our own group there
	Make    error  // why we cannot make a group
	Enter   error  // why we cannot start a process in a group, clone3(2)
	Pids    Limit  // processes of our own group
}

// Survey finds out what the kernel and its settings allow. If it has permission, it makes a control group, starts a
// process in it, and removes it again.
func Survey() Machine { return survey() }
