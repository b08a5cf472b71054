package runner

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// runtimePath returns where the folder for sockets is to be: in %LocalAppData%, whose access list keeps
// other users out.
func runtimePath() (string, error) {
	folder, err := os.UserCacheDir()
	return filepath.Join(folder, "devtools"), err
}

func private(fs.FileInfo) error { return nil }

func checkPeer(net.Conn) error { return nil }

// connectionRefused is the error of connecting to a socket that nobody listens on.
const connectionRefused = windows.WSAECONNREFUSED

// connectionReset and brokenPipe are the errors of a connection whose other end is gone.
const (
	connectionReset = windows.WSAECONNRESET
	brokenPipe      = windows.ERROR_BROKEN_PIPE
)
