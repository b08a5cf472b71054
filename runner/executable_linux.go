package runner

// executable returns a path of this program that works even when its file was replaced or deleted
// since it was started, proc_pid_exe(5).
func executable() (string, error) { return "/proc/self/exe", nil }

// holderName is what the kernel calls a holder, proc_pid_comm(5): the last part of the path by which it was executed.
const holderName = "exe"
