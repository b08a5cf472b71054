package regular

import "os"

// InMemory returns a new file that is in memory alone: no folder has it, and it is gone when no process has it open any more.
// Processes of the same user can open it by the path of its descriptor, proc_pid_fd(5), which is a link to Link(name). The
// error is errors.ErrUnsupported where HasMemory is false.
func InMemory(name string) (*os.File, error) { return inMemory(name) }

// Link returns where the descriptor of a file of InMemory points to.
func Link(name string) string { return "/memfd:" + name + " (deleted)" }

// OpenInMemory opens a file of InMemory for reading, by the path of a descriptor. The error is fs.ErrNotExist if the descriptor
// has another file by now, which OpenInMemory does not open.
func OpenInMemory(path, name string) (*os.File, error) { return openInMemory(path, name) }
