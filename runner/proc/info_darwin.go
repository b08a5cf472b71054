package proc

import (
	"bytes"
	"errors"

	"golang.org/x/sys/unix"
)

func read(pid int) (Info, error) {
	kinfo, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	switch {
	case errors.Is(err, unix.EIO), errors.Is(err, unix.ESRCH):
		return Info{}, ErrGone // the system reports an empty answer as EIO
	case errors.Is(err, unix.EPERM):
		return Info{}, ErrNotPermitted
	case err != nil:
		return Info{}, err
	}
	return describe(kinfo), nil
}

// allProcesses describes all processes. It returns none if the system refuses.
func allProcesses() []Info {
	kinfos, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	all := make([]Info, len(kinfos))
	for i := range kinfos {
		all[i] = describe(&kinfos[i])
	}
	return all
}

// executed is P_EXEC, sys/proc.h.
const executed = 0x4000

func describe(k *unix.KinfoProc) Info {
	pid := int(k.Proc.P_pid)
	started := k.Proc.P_starttime
	info := Info{
		ID: ID{
			PID:   pid,
			Start: uint64(started.Sec)*1e6 + uint64(started.Usec),
			Boot:  Boot(),
		},
		Parent: int(k.Eproc.Ppid),
		Group:  int(k.Eproc.Pgid),
		State:  '?',
		Forked: k.Proc.P_flag&executed == 0,
	}
	info.Session, _ = unix.Getsid(pid) // 0 if the system hides it from us
	if k.Eproc.Tdev != -1 {
		info.TTY, info.Foreground = int(k.Eproc.Tdev), int(k.Eproc.Tpgid)
	}
	name, _, _ := bytes.Cut(k.Proc.P_comm[:], []byte{0})
	info.Name = string(name)
	// P_stat counts SIDL, SRUN, SSLEEP, SSTOP, SZOMB from 1 (sys/proc.h).
	if letters := "?RRSTZ"; k.Proc.P_stat > 0 && int(k.Proc.P_stat) < len(letters) {
		info.State = letters[k.Proc.P_stat]
	}
	return info
}

func commandLine(pid int) []string {
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil
	}
	return parseProcargs(data)
}

// dispositions returns which signals the process ignores and for which it has a handler.
func dispositions(pid int) (ignored, caught uint64, ok bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, 0, false
	}
	return uint64(k.Proc.P_sigignore), uint64(k.Proc.P_sigcatch), true
}
