package proc

import "golang.org/x/sys/unix"

// lives asks for memory of the process, process_vm_readv(2). One that has ended has none, even if nobody has waited for it.
// Memory that we may not read is memory. Where the system forbids the question, a process that nobody has waited for lives.
func lives(pid int) bool {
	var one [1]byte
	local := []unix.Iovec{{Base: &one[0], Len: 1}}
	_, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: 0, Len: 1}}, 0)
	return err != unix.ESRCH && unix.Kill(pid, 0) != unix.ESRCH
}
