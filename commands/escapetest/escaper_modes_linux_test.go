package escapetest

import "golang.org/x/sys/unix"

// privilegesOut are the ways by files of the workspace that give privileges to those who run them outside.
var privilegesOut = []wayOut{
	{"set-user-ID by chmod", func() error { return unix.Chmod("inside", 0o4755) }},
	{"set-group-ID by fchmodat2", func() error { return raw(unix.SYS_FCHMODAT2, atCurrent, text("inside"), 0o2755, 0) }},
	{"set-user-ID by open", func() error {
		fd, err := unix.Open("special", unix.O_CREAT|unix.O_WRONLY, 0o4755)
		_ = unix.Close(fd)
		return err
	}},
	{"set-user-ID by openat2", func() error {
		_, err := unix.Openat2(unix.AT_FDCWD, "special2", &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: 0o4755})
		return err
	}},
	{"set-user-ID by mknod", func() error { return unix.Mknod("special3", unix.S_IFREG|0o4755, 0) }},
	{"capability of a file", func() error { // VFS_CAP_REVISION_2 with CAP_SYS_ADMIN
		return unix.Setxattr("inside", "security.capability", []byte("\x01\x00\x00\x02\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), 0)
	}},
}
