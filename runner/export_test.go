package runner

var (
	DialEnded = dialEnded
	Replay    = replay
)
