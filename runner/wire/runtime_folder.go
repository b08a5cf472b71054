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
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
)

// ErrNoFolder says that no folder for sockets can be made or written.
var ErrNoFolder = errors.New("no folder for sockets can be written")

// listenIn calls listen with the folder for sockets, and as long as that cannot be made or written, with the next one that may take its
// place. The last is in the state folder: [Sockets] does not list what is in there, but clients find it by the record of the session.
func listenIn(dir ledger.Dir, listen func(folder string) error) error {
	first, err := RuntimePath()
	if err != nil {
		return err
	}
	folders := []string{first}
	var reason error // of the folder that the user would expect
	for i := 0; i < len(folders); i++ {
		if err = listen(folders[i]); err == nil || !unusable(err) {
			return err
		}
		if i == 0 { // not before: the user's id takes a system call
			reason, folders = err, slices.Compact(append(append(folders, runtimeOthers()...), dir.RunFolder()))
		}
	}
	return fmt.Errorf("%w (%s): %w", ErrNoFolder, strings.Join(folders, ", "), reason)
}

// unusable reports whether err says that a folder cannot be made or written, or that its path is too long for a socket. One that is there and not private is another matter.
func unusable(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrNotExist, fs.ErrPermission, syscall.EROFS, syscall.ENOTDIR, syscall.ENOSPC, syscall.EDQUOT, syscall.EINVAL},
		func(reason error) bool { return errors.Is(err, reason) })
}

// makePrivate creates a folder for sockets if it does not exist. It returns an error unless the folder is private.
func makePrivate(folder string) error {
	err := os.Mkdir(folder, 0o700)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(folder) == filepath.Clean(os.Getenv("TMPDIR")) {
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
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
func Listen(id string, dir ledger.Dir) (listener net.Listener, err error) {
	err = listenIn(dir, func(folder string) (err error) {
		path := filepath.Join(folder, id+siteSuffix(dir.Site()))
		listener, err = ListenAt(path)
		tooLong := errors.Is(err, syscall.EINVAL) && proc.NoNewPrivs(os.Getpid()) // outside of a sandbox it must be a socket
		if tooLong || errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
			if fifo, fifoErr := ListenAt(path + fifoSuffix); !errors.Is(fifoErr, errors.ErrUnsupported) {
				listener, err = fifo, fifoErr
			}
		}
		return err
	})
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
	for _, folder := range RuntimePaths() {
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

// RemoveSocket deletes the door of a dead holder of dir. It deletes nothing outside the runtime folders and that of dir.
func RemoveSocket(dir ledger.Dir, path string) {
	if slices.Contains(append(RuntimePaths(), dir.RunFolder()), filepath.Dir(path)) {
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

// Knock connects to a door and leaves again. The error is [ConnectionRefused] if nobody is behind it.
func Knock(path string) error {
	conn, err := dial(path)
	if err == nil {
		_ = conn.Close() // nothing was sent
	}
	return err
}

// IsFIFO reports whether a door is a FIFO, and not a socket.
func IsFIFO(listener net.Listener) bool {
	return strings.HasSuffix(listener.Addr().String(), fifoSuffix)
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
