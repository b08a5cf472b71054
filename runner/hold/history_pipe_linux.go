package hold

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// newHistoryPipe returns a pipe for the history of a shell. The shell opens it in /proc, proc_pid_fd(5).
func newHistoryPipe() (*historyPipe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	conn, err := r.SyscallConn()
	if err != nil {
		return nil, err
	}
	p := &historyPipe{path: fmt.Sprintf("%s/fd/%d", proc.Folder(os.Getpid()), w.Fd())}
	_ = conn.Control(func(fd uintptr) { p.fd = int(fd) })
	go func() {
		defer w.Close() // it is open as long as somebody reads
		_ = conn.Read(func(uintptr) bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.drain()
			return false
		})
	}()
	return p, nil
}

// drain reads what is in the pipe. The caller has the lock.
func (p *historyPipe) drain() {
	var buf [4096]byte
	for p.path != "" {
		n, err := unix.Read(p.fd, buf[:])
		if n > 0 {
			p.add(buf[:n])
		} else if err != unix.EINTR {
			return
		}
	}
}
