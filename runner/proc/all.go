package proc

// All describes all processes that we can see, in no particular order, zombies included. It is no snapshot: one that
// began or ended meanwhile may be missing.
func All() []Info { return everyone() }

// Variable returns the value of an environment variable of the process that has pid now, as its program was executed
// with it, proc_pid_environ(5). It is not known, and ok is false, of the processes of others, of one that is just being
// executed, and on other systems than Linux.
func Variable(pid int, name string) (value string, ok bool) {
	if pid <= 0 {
		return "", false
	}
	return variable(pid, name)
}

// Namespace is the number of our pid namespace, pid_namespaces(7), in which alone a pid means what it means to us. It
// is 0 where there are none.
func Namespace() uint64 { return namespace() }
