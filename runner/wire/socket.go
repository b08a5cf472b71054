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

// RuntimeFolder returns the folder for sockets, which is private to the user: $XDG_RUNTIME_DIR/devtools,
// else devtools-UID in the folder for temporary files; on Windows %LocalAppData%\devtools. It is made
// when it is not there.
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
	path := filepath.Join(folder, fmt.Sprintf("%s-%08x", id, rand.Uint32())) // two workspaces can have sessions of one id
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	return listener, nil
}

// dial connects to a holder's socket. Connecting to a living holder succeeds at once: its kernel
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
