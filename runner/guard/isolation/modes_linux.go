package isolation

import "golang.org/x/sys/unix"

// A modeCall is a system call that gives a file a mode.
type modeCall struct {
	number uint32
	flags  uint32 // argument with the flags of open(2); 0: it has none
	mode   uint32 // argument with the mode
}

// modeCalls are those of all machines; machine has the older ones.
var modeCalls = []modeCall{
	{unix.SYS_OPENAT, 2, 3},
	{unix.SYS_MKNODAT, 0, 2},
	{unix.SYS_FCHMOD, 0, 1},
	{unix.SYS_FCHMODAT, 0, 2},
	{unix.SYS_FCHMODAT2, 0, 2},
}

const (
	special = unix.S_ISUID | unix.S_ISGID
	makes   = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY // flags with which the mode counts
)

// specialModes refuses to give files the modes set-user-ID and set-group-ID: other users could then run them with the rights of this
// one. That also refuses a folder with set-group-ID, because the filter does not see what a path names.
func (f *filter) specialModes() {
	for _, calls := range [][]modeCall{modeCalls, machine.modes} {
		for _, call := range calls {
			f.forSyscall(call.number, max(call.flags, call.mode), func(f *filter) {
				if call.flags != 0 {
					f.load(fieldArgument + 8*call.flags)
					f.ifNone(makes, unix.SECCOMP_RET_ALLOW)
					f.load(fieldArgument + 8*call.mode)
				}
				f.ifNone(special, unix.SECCOMP_RET_ALLOW)
				f.end(errno(unix.EPERM))
			})
		}
	}
}

// ifNone ends the filter with an action if what is loaded has none of the bits.
func (f *filter) ifNone(bits, action uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: 1, K: bits})
	f.end(action)
}
