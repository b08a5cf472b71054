package proc

// The calls that this architecture does not have, at numbers that no call has.
const (
	olderPoll = 509 + iota
	olderSelect
	olderEpoll
	olderOpen  = 1<<20 + iota // beyond the table
	olderPause = 1<<20 + iota
)

// restartsPoll says that a poll that a signal stopped goes on as restart_syscall(2):
// poll does, ppoll does not.
const restartsPoll = false
