package proc

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

func read(pid int) (Info, error) {
	for _, p := range allProcesses() {
		if p.PID == pid {
			return p, nil
		}
	}
	return Info{}, ErrGone
}

// allProcesses describes all processes. It returns none if the system refuses.
//
// Windows keeps the pid of a parent that is gone, and a younger process may have that pid now. Only a process that
// started before its child counts as the parent.
func allProcesses() []Info {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer windows.CloseHandle(snapshot)
	var all []Info
	started := make(map[int]uint64)
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		p := Info{
			ID:      ID{PID: int(entry.ProcessID)},
			Parent:  int(entry.ParentProcessID),
			Name:    windows.UTF16ToString(entry.ExeFile[:]),
			State:   'R',
			Threads: int(entry.Threads),
		}
		var session uint32
		if windows.ProcessIdToSessionId(entry.ProcessID, &session) == nil {
			p.Session = int(session)
		}
		if process, err := openProcess(p.PID, windows.PROCESS_QUERY_LIMITED_INFORMATION); err == nil {
			if id, cpu, err := times(p.PID, process); err == nil {
				p.ID, p.CPU = id, cpu
			}
			_ = windows.CloseHandle(process)
		}
		started[p.PID] = p.Start
		all = append(all, p)
	}
	for i, p := range all {
		if parent, ok := started[p.Parent]; !ok || p.Start > 0 && parent > p.Start {
			all[i].Parent = 0
		}
	}
	return all
}

// times returns the identity of an open process and the processor time that it has used.
func times(pid int, process windows.Handle) (ID, time.Duration, error) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return ID{}, 0, err
	}
	// The unit is 100 ns.
	return ID{PID: pid, Start: raw(created)}, 100 * time.Duration(raw(kernel)+raw(user)), nil
}

func raw(t windows.Filetime) uint64 {
	return uint64(t.HighDateTime)<<32 | uint64(t.LowDateTime)
}

func commandLine(pid int) []string {
	process, err := openProcess(pid, windows.PROCESS_QUERY_LIMITED_INFORMATION)
	if err != nil {
		return nil
	}
	defer windows.CloseHandle(process)
	var size uint32
	_ = windows.NtQueryInformationProcess(process, windows.ProcessCommandLineInformation, nil, 0, &size) // asks only for the size
	if size < uint32(unsafe.Sizeof(windows.NTUnicodeString{})) {
		return nil
	}
	// The answer is the structure, followed by the text that it points to.
	buf := make([]uint64, (size+7)/8)
	if err := windows.NtQueryInformationProcess(process, windows.ProcessCommandLineInformation, unsafe.Pointer(&buf[0]), size, &size); err != nil {
		return nil
	}
	args, err := windows.DecomposeCommandLine((*windows.NTUnicodeString)(unsafe.Pointer(&buf[0])).String())
	if err != nil {
		return nil
	}
	return args
}
