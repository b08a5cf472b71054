package blocked

// Calls that this architecture does not have. Their numbers are unused.
const (
	olderPoll = 500 + iota
	olderSelect
	olderEpoll
	olderVfork
	olderPause
	olderOpen = 1 << 20 // outside the table calls
)

// restartsPoll says whether an interrupted wait in poll continues as restart_syscall(2). poll does, ppoll does not.
const restartsPoll = false
