//go:build unix

package wire

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxSocketPath is the maximum length of a socket address on every system: sun_path of unix(7) and of
// macOS, without the NUL.
const maxSocketPath = 103

// RuntimePath returns the path of the folder for sockets. It does not create the folder.
func RuntimePath() (string, error) {
	temporary := os.TempDir()
	if !filepath.IsAbs(temporary) { // the holder and its clients may have different working directories
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

// Private returns an error unless the folder belongs to this user and is closed to others.
func Private(info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return errors.New("belongs to another user")
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("is open to other users (mode %04o)", mode)
	}
	return nil
}

// ConnectionRefused is the error of connecting to a socket without a listener, connect(2).
const ConnectionRefused = syscall.ECONNREFUSED

// connectionReset and brokenPipe are the errors of a connection whose other end is gone.
const (
	connectionReset = syscall.ECONNRESET
	brokenPipe      = syscall.EPIPE
)
