package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit of the times in stat. USER_HZ is 100 on every platform that Go supports.
const tick = time.Second / 100

// pageSize is the unit of the resident size in stat.
var pageSize = uint64(os.Getpagesize())

// forkNoExec is PF_FORKNOEXEC of the kernel's linux/sched.h.
const forkNoExec = 0x40

var errStat = errors.New("stat is not in the format of proc_pid_stat(5)")

// ParseStat reads a line of /proc/PID/stat, proc_pid_stat(5). It leaves out the Boot and the Inode of the ID.
//
// The name is the only field that is not a number. It may contain spaces,
// parentheses and newlines, so it ends at the last parenthesis of the line.
func ParseStat(line []byte) (Info, error) {
	open, shut := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || shut < open {
		return Info{}, errStat
	}
	info := Info{Name: string(line[open+1 : shut])}
	pid, err := strconv.Atoi(string(bytes.TrimRight(line[:open], " ")))
	if err != nil || pid <= 0 {
		return Info{}, errStat
	}
	info.PID = pid

	// Fields are counted from 1, as in the manual. The loop begins after pid and name.
	number := 2
	var ticks uint64
	for field := range bytes.FieldsSeq(line[shut+1:]) {
		number++
		switch number {
		case 3:
			if len(field) != 1 || field[0] < 'A' { // a letter
				return Info{}, errStat
			}
			info.State = field[0]
		case 4:
			info.Parent, err = strconv.Atoi(string(field))
		case 5:
			info.Group, err = strconv.Atoi(string(field))
		case 6:
			info.Session, err = strconv.Atoi(string(field))
		case 7:
			info.TTY, err = strconv.Atoi(string(field))
		case 8:
			info.Foreground, err = strconv.Atoi(string(field))
		case 9:
			var flags uint64
			flags, err = strconv.ParseUint(string(field), 10, 64)
			info.Forked = flags&forkNoExec != 0
		case 11:
			info.ChildFaults, err = strconv.ParseUint(string(field), 10, 64)
		case 14, 15:
			ticks, err = strconv.ParseUint(string(field), 10, 64)
			info.CPU += time.Duration(ticks) * tick
		case 20:
			info.Threads, err = strconv.Atoi(string(field))
		case 22:
			info.Start, err = strconv.ParseUint(string(field), 10, 64)
		case 24:
			var pages uint64
			pages, err = strconv.ParseUint(string(field), 10, 64)
			info.Memory = pages * pageSize
		case 52:
			var code int
			code, err = strconv.Atoi(string(field))
			info.StopSignal = syscall.Signal(code)
		}
		if err != nil {
			return Info{}, errStat
		}
		if number == 24 && info.State != 'T' || number == 52 { // a stopped process has the signal there
			break
		}
	}
	if number < 22 {
		return Info{}, errStat
	}
	return info, nil
}

// readStat does what read does, without the inode.
func readStat(pid int) (Info, error) {
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	line, err := ReadInto(buf[:], Folder(pid)+"/stat")
	if errors.Is(err, ErrGone) && Foreign() && unix.Kill(pid, 0) != unix.ESRCH {
		err = ErrForeign
	}
	if err != nil {
		return Info{}, err
	}
	return StatOf(pid, line)
}
