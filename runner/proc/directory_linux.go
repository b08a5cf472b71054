package proc

import (
	"os"
	"strconv"
	"strings"
)

func workingDirectory(pid int) string {
	dir, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(dir, " (deleted)")
}

func executablePath(pid int) string {
	path, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe") // "" for another user's
	return path
}
