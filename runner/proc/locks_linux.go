package proc

import (
	"bufio"
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// exclusiveFlocks reads lines such as "1: FLOCK  ADVISORY  WRITE 25043 fe:00:10003052 0 EOF", proc_locks(5). A line of a
// process that waits for a lock has an arrow after its number.
func exclusiveFlocks() map[Flock]bool {
	file, err := os.Open("/proc/locks")
	if err != nil {
		return nil
	}
	defer file.Close()
	locks := map[Flock]bool{}
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 64<<10), 64<<10)
	for lines.Scan() {
		var fields [6][]byte
		n := 0
		for field := range bytes.FieldsSeq(lines.Bytes()) {
			if fields[n] = field; n == len(fields)-1 {
				break
			}
			n++
		}
		if string(fields[1]) != "FLOCK" || string(fields[3]) != "WRITE" {
			continue
		}
		pid, err := strconv.Atoi(string(fields[4]))
		major, rest, _ := bytes.Cut(fields[5], []byte(":"))
		minor, _, _ := bytes.Cut(rest, []byte(":"))
		high, majorErr := strconv.ParseUint(string(major), 16, 32)
		low, minorErr := strconv.ParseUint(string(minor), 16, 32)
		if err == nil && majorErr == nil && minorErr == nil {
			locks[Flock{pid, unix.Mkdev(uint32(high), uint32(low))}] = true
		}
	}
	if lines.Err() != nil {
		return nil
	}
	return locks
}
