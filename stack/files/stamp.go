package files

// A Stamp is what tells one state of a file from another without reading it.
type Stamp struct {
	Modified int64  // nanoseconds since 1970
	Changed  int64  // the same of the inode; 0 where the system has none
	Size     int64  // bytes
	Inode    uint64 // 0 where the system has none
	Mode     uint32 // permissions, as Unix counts them, and what kind of a file it is
}
