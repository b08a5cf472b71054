package isolation

import "golang.org/x/sys/unix"

var machine = struct {
	known bool
	arch  uint32
	x32   bool
	modes []modeCall
}{true, unix.AUDIT_ARCH_AARCH64, false, nil}
