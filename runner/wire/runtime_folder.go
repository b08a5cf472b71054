package wire

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"devtools/ledger"
)

// RuntimeFolder returns the folder for sockets, which is private to the user. It is $XDG_RUNTIME_DIR/devtools if that folder
// outlives a logout, or else devtools-UID in the folder for temporary files. On Windows it is %LocalAppData%\devtools.
// RuntimeFolder creates the folder when it does not exist.
func RuntimeFolder() (string, error) {
	folder, err := RuntimePath()
	if err != nil {
		return "", err
	}
	return folder, makePrivate(folder)
}

// makePrivate creates a folder for sockets if it does not exist. It returns an error unless the folder is private.
func makePrivate(folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		err = errors.New("is not a folder")
	} else {
		err = Private(info)
	}
	if err != nil {
		return fmt.Errorf("the folder for sockets %s %w: have it removed, or set TMPDIR to a folder of your own", folder, err)
	}
	return nil
}

// Listen opens the door for the session id of dir in the runtime folder: a socket, or a FIFO where no socket can be made. From then
// on the session is known there, whatever happens to the state folder: the name of the door has the number of its place ([ledger.Site]).
func Listen(id string, dir ledger.Dir) (net.Listener, error) {
	folder, err := RuntimePath()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, id+siteSuffix(dir.Site()))
	listener, err := ListenAt(path)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		if fifo, fifoErr := ListenAt(path + fifoSuffix); fifoErr == nil {
			return fifo, nil
		}
	}
	return listener, err
}

// ListenAt opens the door at path, in a runtime folder, which it creates if it was removed.
func ListenAt(path string) (net.Listener, error) {
	if err := makePrivate(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, fifoSuffix) {
		return listenFIFO(path)
	}
	return net.Listen("unix", path)
}

// siteSuffix ends the names of the sockets of a state folder's sessions. Two workspaces can have sessions with the same id.
func siteSuffix(site uint32) string { return fmt.Sprintf("-%08x", site) }

// Sockets returns the paths of all sockets of this user's sessions on this machine. Some may belong to dead holders.
func Sockets() (paths []string) {
	for _, folder := range runtimePaths() {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() || Private(info) != nil {
			continue
		}
		entries, _ := os.ReadDir(folder) // those that can be read
		for _, entry := range entries {
			if entry.Type() == fs.ModeSocket || entry.Type() == fs.ModeNamedPipe && strings.HasSuffix(entry.Name(), fifoSuffix) {
				paths = append(paths, filepath.Join(folder, entry.Name()))
			}
		}
	}
	return paths
}

// RemoveSocket deletes the door of a dead holder. It deletes nothing outside the runtime folders.
func RemoveSocket(path string) {
	if slices.Contains(runtimePaths(), filepath.Dir(path)) {
		removeDoor(path)
	}
}

// SocketOf returns the socket of the session id, whatever its workspace is. ok is false if there is none.
func SocketOf(id string) (path string, ok bool) {
	all := Sockets()
	i := slices.IndexFunc(all, func(socket string) bool { return strings.HasPrefix(filepath.Base(socket), id+"-") })
	if i < 0 {
		return "", false
	}
	return all[i], true
}

// SessionOf returns the id of the session that a socket is of.
func SessionOf(socket string) string {
	id, _, _ := strings.Cut(filepath.Base(socket), "-")
	return id
}

// SocketsOf returns those of Sockets that were opened for sessions of the state folder at path.
func SocketsOf(path string) []string {
	all := Sockets()
	if len(all) == 0 {
		return nil
	}
	suffix := siteSuffix(ledger.Site(path))
	return slices.DeleteFunc(all, func(socket string) bool { return !strings.HasSuffix(strings.TrimSuffix(socket, fifoSuffix), suffix) })
}

// dial connects to the door of a holder. Connecting to the socket of a running holder succeeds at once: the kernel
// queues the connection.
func dial(path string) (net.Conn, error) {
	if strings.HasSuffix(path, fifoSuffix) {
		return dialFIFO(path)
	}
	conn, err := net.DialTimeout("unix", path, 5*time.Second)
	if err != nil {
		return nil, err
	}
	if _, err := CheckPeer(conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
