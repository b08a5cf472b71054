package wire

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// RuntimePath returns the path of the folder for sockets, in %LocalAppData%. The access list of that folder
// keeps other users out.
func RuntimePath() (string, error) {
	folder, err := os.UserCacheDir()
	return filepath.Join(folder, "devtools"), err
}

// RuntimePaths returns the folders in which sockets of this user may be.
func RuntimePaths() []string {
	folder, err := RuntimePath()
	if err != nil {
		return nil
	}
	return []string{folder}
}

func runtimeOthers() []string { return nil }

func Private(fs.FileInfo) error { return nil }

func CheckPeer(net.Conn) (pid int, err error) { return 0, nil }

// ConnectionRefused is the error of connecting to a socket without a listener.
const ConnectionRefused = windows.WSAECONNREFUSED

// connectionReset and brokenPipe are the errors of a connection whose other end is gone.
const (
	connectionReset = windows.WSAECONNRESET
	brokenPipe      = windows.ERROR_BROKEN_PIPE
)
