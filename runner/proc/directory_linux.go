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
