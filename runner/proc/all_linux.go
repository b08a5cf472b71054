package proc

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

func variable(pid int, name string) (value string, ok bool) {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return "", false
	}
	for pair := range bytes.SplitSeq(environ, []byte{0}) {
		if key, value, found := bytes.Cut(pair, []byte{'='}); found && string(key) == name {
			return string(value), true
		}
	}
	return "", false
}

func namespace() uint64 {
	var st unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &st) != nil {
		return 0
	}
	return st.Ino
}
