package proc

// All describes all processes that we can see, zombies included, in no particular order. The result is not a snapshot:
// a process that starts or ends during the call may be missing.
func All() []Info { return everyone() }

// Variable returns the value of an environment variable of the process that has pid now. It is the value at the time
// when its program was executed, proc_pid_environ(5). ok is false for processes of other users, for a process in the
// middle of an exec, and on other systems than Linux.
func Variable(pid int, name string) (value string, ok bool) {
	if pid <= 0 {
		return "", false
	}
	return variable(pid, name)
}

// Namespace returns the number of our pid namespace, pid_namespaces(7). A pid has the same meaning only within one
// namespace. The number is 0 where the system has no pid namespaces.
func Namespace() uint64 { return namespace() }
