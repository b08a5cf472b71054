package isolation

import "golang.org/x/sys/unix"

var machine = struct {
	known bool
	arch  uint32
	x32   bool
}{true, unix.AUDIT_ARCH_X86_64, true}
