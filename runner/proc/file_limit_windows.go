package proc

// FileLimit returns 0: Windows has no such limit.
func FileLimit() uint64 { return 0 }
