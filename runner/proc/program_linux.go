package proc

import (
	"bytes"
	"os"
	"strings"
)

func workingDirectory(pid int) string {
	dir, err := os.Readlink(Folder(pid) + "/cwd")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(dir, " (deleted)")
}

func variable(pid int, name string) (value string, ok bool) {
	environ, err := os.ReadFile(Folder(pid) + "/environ")
	if err != nil {
		return "", false
	}
	return variableIn(environ, name)
}

// variableIn returns the first variable of that name in proc_pid_environ(5).
func variableIn(environ []byte, name string) (value string, ok bool) {
	for pair := range bytes.SplitSeq(environ, []byte{0}) {
		if key, value, found := bytes.Cut(pair, []byte{'='}); found && string(key) == name {
			return string(value), true
		}
	}
	return "", false
}

func startedWith(pid int, text string) bool {
	for _, name := range []string{"cmdline", "environ"} {
		data, err := os.ReadFile(Folder(pid) + "/" + name)
		if err != nil || bytes.Contains(data, []byte(text)) || name == "cmdline" && len(data) == 0 { // a zombie has no arguments
			return true
		}
	}
	return false
}

func image(pid int) string {
	vector, _ := os.ReadFile(Folder(pid) + "/auxv")
	return string(vector)
}

func oldBuild(pid int) bool { return strings.HasSuffix(executable(pid), " (deleted)") }

func executable(pid int) string {
	path, _ := os.Readlink(Folder(pid) + "/exe")
	return path
}
