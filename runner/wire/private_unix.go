//go:build unix

package wire

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// maxSocketPath is how long the address of a socket can be everywhere: sun_path of unix(7) and of
// macOS, without the NUL.
const maxSocketPath = 103

// RuntimePath returns where the folder for sockets is to be.
func RuntimePath() (string, error) {
	temporary := os.TempDir()
	if !filepath.IsAbs(temporary) { // the holder and its clients have not the same working directory
		temporary = "/tmp"
	}
	folder := filepath.Join(temporary, fmt.Sprintf("devtools-%d", os.Getuid()))
	if base := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(base) {
		if info, err := os.Stat(base); err == nil && info.IsDir() && Private(info) == nil {
			folder = filepath.Join(base, "devtools")
		}
	}
	if len(folder)+32 > maxSocketPath {
		folder = fmt.Sprintf("/tmp/devtools-%d", os.Getuid())
	}
	return folder, nil
}

// Private returns an error unless the folder is ours and closed to others.
func Private(info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return errors.New("belongs to another user")
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("is open to other users (mode %04o)", mode)
	}
	return nil
}

// CheckPeer returns an error unless the other end of conn is a process of ours, or of root.
func CheckPeer(conn net.Conn) error {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return errors.New("not a Unix socket")
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var uid int
	var failed error
	err = raw.Control(func(fd uintptr) { uid, failed = peerUser(int(fd)) })
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if uid != os.Geteuid() && uid != 0 {
		return fmt.Errorf("the other end of the socket belongs to user %d", uid)
	}
	return nil
}

// ConnectionRefused is the error of connecting to a socket that nobody listens on, connect(2).
const ConnectionRefused = syscall.ECONNREFUSED

// connectionReset and brokenPipe are the errors of a connection whose other end is gone.
const (
	connectionReset = syscall.ECONNRESET
	brokenPipe      = syscall.EPIPE
)
