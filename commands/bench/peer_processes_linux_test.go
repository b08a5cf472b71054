package bench

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// lives reports whether a process does, and when it began. One that has ended and is not waited for does not.
func lives(pid int) (began string, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	return fields[19], fields[0] != "Z" && fields[0] != "X"
}

// marked returns the living processes that have an entry in their environment that begins with mark, whoever their
// parents and whatever their sessions are.
func marked(mark string) (all []*os.Process) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		p, err := os.FindProcess(pid) // holds the process before it is looked at: no other can take its place
		if err != nil {
			continue
		}
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if _, ok := lives(pid); ok && strings.Contains("\x00"+string(environ), "\x00"+mark) {
			all = append(all, p)
		} else {
			_ = p.Release()
		}
	}
	return all
}

// killMarked kills the processes with a mark until there are none, and returns how many it could not end.
func killMarked(mark string) int {
	for deadline := time.Now().Add(20 * time.Second); ; {
		all := marked(mark)
		if len(all) == 0 || time.Now().After(deadline) {
			return len(all)
		}
		for _, p := range all {
			_ = p.Kill()
			_ = p.Release()
		}
		<-time.After(5 * time.Millisecond)
	}
}

// peerJanitor is, in the environment of this program, the mark of what it is to end when its standard input is closed:
// then the tests, which hold the other end, were ended before they could.
const peerJanitor = "PEER_JANITOR"

func init() {
	if mark := os.Getenv(peerJanitor); mark != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		killMarked(mark)
		os.Exit(0)
	}
}

// startJanitor has all rigs of this process cleared away however it ends, which closes the pipe.
var startJanitor = sync.OnceValues(func() (pipe io.Closer, err error) {
	janitor := exec.Command("/proc/self/exe")
	janitor.Env = append(os.Environ(), fmt.Sprintf("%s=%s", peerJanitor, peerMark()))
	janitor.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no ^C is for it
	if pipe, err = janitor.StdinPipe(); err != nil {
		return nil, err
	}
	return pipe, janitor.Start()
})

// peerMark begins the marks of this process.
func peerMark() string { return fmt.Sprintf("PEER_RIG=%d-", os.Getpid()) }
