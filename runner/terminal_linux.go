package runner

// blockingMaster says that the master of a PTY is read in blocking mode.
const blockingMaster = false

// hangUp closes the holder's slave: from then on the master ends when the last process that has the
// terminal open closes it.
func (t *terminal) hangUp() error { return t.slave.Close() }
