package blocked

// Calls that this architecture does not have. Their numbers are unused.
const (
	olderPoll = 508 + iota
	olderSelect
	olderEpoll
	olderVfork
	olderOpen  = 1<<20 + iota // outside the table calls
	olderPause = 1<<20 + iota
)

// restartsPoll says whether an interrupted wait in poll continues as restart_syscall(2). poll does, ppoll does not.
const restartsPoll = false
