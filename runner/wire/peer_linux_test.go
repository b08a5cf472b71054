package wire

import (
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// socketOf returns one end of a pair of sockets that a user has made.
func socketOf(t *testing.T, uid int) net.Conn {
	t.Helper()
	made := make(chan error)
	var pair [2]int
	go func() {
		runtime.LockOSThread() // and never unlock it: the thread ends with the goroutine
		_, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), uintptr(uid), ^uintptr(0))
		if errno != 0 {
			made <- errno
			return
		}
		var err error
		pair, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		made <- err
	}()
	if err := <-made; err == syscall.EPERM {
		t.Skip("only root can be another user")
	} else if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(pair[1]) // the kernel keeps whose it was
	f := os.NewFile(uintptr(pair[0]), "socket")
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// A socket is ours or root's at its other end, or nothing is said on it.
func TestCheckPeer(t *testing.T) {
	if _, err := CheckPeer(socketOf(t, os.Geteuid())); err != nil {
		t.Errorf("of this user: %v", err)
	}
	const stranger = 54321
	if _, err := CheckPeer(socketOf(t, stranger)); err == nil || !strings.Contains(err.Error(), "belongs to user 54321") {
		t.Errorf("of another user: %v", err)
	}
}

// What is no Unix socket has nobody at its other end who could be known.
func TestCheckPeerOfPipe(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	if _, err := CheckPeer(near); err == nil {
		t.Error("a pipe is taken")
	}
}
