package proc

import (
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

func namespace() uint64 {
	var st unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &st) != nil {
		return 0
	}
	return st.Ino
}

func initialNamespace() bool {
	const initial = 0xEFFFFFFC // PROC_PID_INIT_INO of the kernel's linux/proc_ns.h
	return Namespace() == 0 || Namespace() == initial
}

var foreign = sync.OnceValue(func() bool {
	number, _ := os.Readlink("/proc/self") // "" if we are not in it
	return number != strconv.Itoa(os.Getpid())
})

// inProc asks the kernel for the number: what it says of a pidfd in /proc has the numbers of that /proc.
func inProc(pid int) int {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var buf [512]byte
	info, _ := ReadInto(buf[:], "/proc/self/fdinfo/"+strconv.Itoa(fd))
	number, _ := strconv.Atoi(Field(info, "Pid:")) // it is -1 for a process that is gone
	return max(number, 0)
}

// fromProc tries the numbers that the process has in all namespaces, proc_pid_status(5). The process that has our number in ours
// has the given one in /proc.
func fromProc(number int) int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(number) + "/status")
	if err != nil {
		return 0
	}
	for field := range strings.FieldsSeq(Field(status, "NSpid:")) {
		if pid, err := strconv.Atoi(field); err == nil && inProc(pid) == number {
			return pid
		}
	}
	return 0
}

// StatOf reads a line as [ParseStat] does, of the process pid, with the Boot and the numbers of our pid namespace.
func StatOf(pid int, line []byte) (Info, error) {
	info, err := ParseStat(line)
	info.Boot = Boot()
	if err == nil && Foreign() {
		front := FromProc(info.Foreground)
		if info.Foreground == info.Group { // its leader may have ended
			front, _ = unix.Getpgid(pid)
		}
		info.PID, info.Parent, info.Foreground = pid, FromProc(info.Parent), front
		info.Group, _ = unix.Getpgid(pid) // 0 for a process that is gone
		info.Session, _ = unix.Getsid(pid)
	}
	return info, err
}

func noNewPrivs(pid int) bool {
	if pid == os.Getpid() {
		set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		return err == nil && set == 1
	}
	status, err := os.ReadFile(Folder(pid) + "/status")
	if err != nil {
		_, err = os.Stat("/proc/self/status")
		return err == nil
	}
	return Field(status, "NoNewPrivs:") == "1"
}
