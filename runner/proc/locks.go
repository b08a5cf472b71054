package proc

// A Flock says that a process has taken an exclusive lock, flock(2), on some file of a device.
type Flock struct {
	PID    int
	Device uint64 // st_dev of stat(2)
}

// ExclusiveFlocks returns the exclusive locks of the processes of our pid namespace. On some file systems, such as btrfs,
// the kernel names another device here than in stat(2). The result is nil where the system does not tell.
func ExclusiveFlocks() map[Flock]bool { return exclusiveFlocks() }
