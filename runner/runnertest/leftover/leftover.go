// Package leftover finds what the tests of a package leave running.
package leftover

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Variable marks, in their environment, the processes that the tests of a package start.
const Variable = "DEVTOOLS_TEST"

// patience is how long what is about to end may take.
var patience = 20 * time.Second

// Tests are those of a package, as a testing.M.
type Tests interface{ Run() int }

// Checked returns the tests, which then fail if a process that they have started outlives them. The processes are found by their
// mark, on systems that have /proc.
func Checked(m Tests) Tests { return checked{m} }

type checked struct{ Tests }

func (c checked) Run() int {
	mark := fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())
	_ = os.Setenv(Variable, mark)                                              // the name is a valid one
	_, _ = os.Setenv("DEVTOOLS_PROFILE", "none"), os.Unsetenv("DEVTOOLS_ROOT") // an agent may run the tests
	code := c.Tests.Run()
	left := marked(mark)
	for deadline := time.Now().Add(patience); len(left) > 0 && time.Now().Before(deadline); left = marked(mark) {
		<-time.After(20 * time.Millisecond)
	}
	for _, process := range left {
		fmt.Fprintln(os.Stderr, "a test has left this running:", process)
		code = max(code, 1)
	}
	return code
}

// marked returns the pids and command lines of the living processes with the mark, without this one.
func marked(mark string) (list []string) {
	folders, _ := filepath.Glob("/proc/[0-9]*") // the pattern is a valid one
	own := fmt.Sprint("/proc/", os.Getpid())
	for _, folder := range folders {
		environ, err := os.ReadFile(folder + "/environ") // of a zombie it is empty, and others' cannot be read
		if err != nil || folder == own || !bytes.Contains(environ, []byte("\x00"+Variable+"="+mark+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(folder + "/cmdline")
		list = append(list, filepath.Base(folder)+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	}
	return list
}
