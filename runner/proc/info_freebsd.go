package proc

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"
	"unsafe"

	"github.com/shirou/gopsutil/v4/process"
	"golang.org/x/sys/unix"
)

func read(pid int) (Info, error) {
	found, err := kinfos("kern.proc.pid", pid)
	switch {
	case errors.Is(err, unix.ESRCH), err == nil && len(found) == 0:
		return Info{}, ErrGone
	case errors.Is(err, unix.EPERM):
		return Info{}, ErrNotPermitted
	case err != nil:
		return Info{}, err
	}
	return found[0], nil
}

// allProcesses describes all processes. It returns none if the system refuses.
func allProcesses() []Info {
	all, err := kinfos("kern.proc.proc")
	if err != nil {
		return nil
	}
	return all
}

// kinfos describes the processes that sysctl(3) name lists. The kernel reports start times by the wall clock: it adds
// the boot time anew for each answer. Setting the clock moves both times, so only their difference counts.
func kinfos(name string, args ...int) ([]Info, error) {
	if Boot() == "" {
		return nil, errors.ErrUnsupported // such a start time could belong to another boot
	}
	for {
		booted, err := bootTime()
		if err != nil {
			return nil, err
		}
		data, err := unix.SysctlRaw(name, args...)
		if errors.Is(err, unix.ENOMEM) {
			continue // there are more processes than a moment ago
		}
		if err != nil {
			return nil, err
		}
		if now, err := bootTime(); err != nil {
			return nil, err
		} else if now == booted {
			return parseKinfos(data, booted)
		}
	}
}

// parseKinfos reads structures kinfo_proc, sys/user.h. It refuses structures of another size, as other kernels have.
func parseKinfos(data []byte, booted unix.Timeval) ([]Info, error) {
	const size = int(unsafe.Sizeof(process.KinfoProc{}))
	if len(data)%size != 0 {
		return nil, errors.ErrUnsupported
	}
	all := make([]Info, len(data)/size)
	for i := range all {
		k := (*process.KinfoProc)(unsafe.Pointer(&data[i*size]))
		if int(k.Structsize) != size {
			return nil, errors.ErrUnsupported
		}
		all[i] = describe(k, booted)
	}
	return all, nil
}

// executed is P_EXEC, sys/proc.h.
const executed = 0x4000

func describe(k *process.KinfoProc, booted unix.Timeval) Info {
	info := Info{
		ID: ID{
			PID:   int(k.Pid),
			Start: uint64(int64(k.Start.Sec-booted.Sec)*1e6 + int64(k.Start.Usec-booted.Usec)),
			Boot:  Boot(),
		},
		Parent:  int(k.Ppid),
		Group:   int(k.Pgid),
		Session: int(k.Sid),
		State:   '?',
		Forked:  k.Flag&executed == 0,
		CPU:     time.Duration(k.Runtime) * time.Microsecond,
		Threads: int(k.Numthreads),
	}
	if k.Tdev+1 != 0 { // NODEV is -1
		info.TTY, info.Foreground = int(k.Tdev), int(k.Tpgid)
	}
	var name strings.Builder
	for _, c := range k.Comm {
		if c == 0 {
			break
		}
		name.WriteByte(byte(c))
	}
	info.Name = name.String()
	// ki_stat counts SIDL, SRUN, SSLEEP, SSTOP, SZOMB, SWAIT, SLOCK from 1 (sys/proc.h).
	if letters := "?RRSTZID"; k.Stat > 0 && int(k.Stat) < len(letters) {
		info.State = letters[k.Stat]
	}
	return info
}

func commandLine(pid int) []string {
	data, err := unix.SysctlRaw("kern.proc.args", pid)
	if err != nil || len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

// dispositions returns which signals the process ignores and for which it has a handler.
func dispositions(pid int) (ignored, caught uint64, ok bool) {
	var k process.KinfoProc
	data, err := unix.SysctlRaw("kern.proc.pid", pid)
	if err != nil || len(data) != int(unsafe.Sizeof(k)) {
		return 0, 0, false
	}
	k = *(*process.KinfoProc)(unsafe.Pointer(&data[0]))
	return binary.NativeEndian.Uint64(k.Sigignore[:]), binary.NativeEndian.Uint64(k.Sigcatch[:]), true
}
