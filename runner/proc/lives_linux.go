package proc

import "golang.org/x/sys/unix"

// lives asks for memory of the process at address 0, process_vm_readv(2): EFAULT if it has memory, ESRCH if it has ended, even
// if nobody has waited for it. Where the system forbids the question, a process that nobody has waited for lives.
func lives(pid int) bool {
	var one [1]byte
	local := []unix.Iovec{{Base: &one[0], Len: 1}}
	_, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: 0, Len: 1}}, 0)
	if err == unix.EFAULT || err == unix.ESRCH {
		return err == unix.EFAULT
	}
	return unix.Kill(pid, 0) != unix.ESRCH
}
