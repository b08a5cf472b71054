package wire

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"time"
)

// RuntimeFolder returns the folder for sockets, which is private to the user. It is $XDG_RUNTIME_DIR/devtools,
// or else devtools-UID in the folder for temporary files. On Windows it is %LocalAppData%\devtools.
// RuntimeFolder creates the folder when it does not exist.
func RuntimeFolder() (string, error) {
	folder, err := RuntimePath()
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", folder)
	}
	if err := Private(info); err != nil {
		return "", fmt.Errorf("%s: %w", folder, err)
	}
	return folder, nil
}

// Listen opens a socket for the session id in the runtime folder.
func Listen(id string) (*net.UnixListener, error) {
	folder, err := RuntimeFolder()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, fmt.Sprintf("%s-%08x", id, rand.Uint32())) // two workspaces can have sessions with the same id
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	return listener, nil
}

// dial connects to the socket of a holder. Connecting to a running holder succeeds at once: the kernel
// queues the connection.
func dial(path string) (net.Conn, error) {
	conn, err := net.DialTimeout("unix", path, 5*time.Second)
	if err != nil {
		return nil, err
	}
	if err := CheckPeer(conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
