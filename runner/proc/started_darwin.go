package proc

import "time"

func started(microseconds uint64) time.Time { return time.UnixMicro(int64(microseconds)) }
