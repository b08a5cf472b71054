package pty

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"devtools/runner/proc"
)

// job is the job object of the command. It has everything that the command starts, even when the parent is
// gone. Closing it, as our exit does, ends no process. This process holds one command, so there is one job.
var job windows.Handle

const (
	// msgEmpty is JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO of winnt.h.
	msgEmpty = 4

	// jobRecheck is how often, in ms, a job that reports nothing is looked at. A message from the job is
	// likely to arrive, but this is not promised.
	jobRecheck = 1000

	// maxMembers is how many processes of a job are seen at most.
	maxMembers = 4096
)

// openJob makes the job. It returns the completion port that gets the messages about the job's processes.
func openJob() (port windows.Handle, err error) {
	if job, err = windows.CreateJobObject(nil, nil); err != nil {
		return 0, os.NewSyscallError("CreateJobObject", err)
	}
	port, err = windows.CreateIoCompletionPort(windows.InvalidHandle, 0, 0, 1)
	if err != nil {
		return 0, os.NewSyscallError("CreateIoCompletionPort", err)
	}
	// JOBOBJECT_ASSOCIATE_COMPLETION_PORT, pinned because it is passed as a number.
	association := &struct {
		key  uintptr
		port windows.Handle
	}{port: port}
	var pin runtime.Pinner
	pin.Pin(association)
	defer pin.Unpin()
	_, err = windows.SetInformationJobObject(job, windows.JobObjectAssociateCompletionPortInformation,
		uintptr(unsafe.Pointer(association)), uint32(unsafe.Sizeof(*association)))
	return port, os.NewSyscallError("SetInformationJobObject", err)
}

// startInJob starts the command with its standard files, in a process group of its own. The command is
// suspended until it is in the job, so that nothing of it escapes.
func startInJob(opts Options, files []*os.File) (pid int, process windows.Handle, err error) {
	attr := &syscall.ProcAttr{
		Dir: opts.Cwd,
		Env: (&exec.Cmd{Env: opts.Env}).Environ(), // last value of each name in any letter case, and SYSTEMROOT
		Sys: &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP},
	}
	for _, f := range files {
		attr.Files = append(attr.Files, f.Fd())
	}
	pid, handle, err := syscall.StartProcess(opts.Path, opts.Command, attr)
	if err != nil {
		return 0, 0, err
	}
	process = windows.Handle(handle)
	if err = windows.AssignProcessToJobObject(job, process); err == nil {
		err = resume(pid)
	}
	if err != nil {
		return 0, 0, errors.Join(err, windows.TerminateProcess(process, 1))
	}
	return pid, process, nil
}

// resume lets the threads of a process run that was started suspended.
func resume(pid int) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if int(entry.OwnerProcessID) != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return os.NewSyscallError("OpenThread", err)
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread) // the handle was open
		if err != nil {
			return os.NewSyscallError("ResumeThread", err)
		}
	}
	if err != windows.ERROR_NO_MORE_FILES {
		return os.NewSyscallError("Thread32Next", err)
	}
	return nil
}

// awaitJob blocks until no process of the job is left.
func awaitJob(port windows.Handle) {
	for {
		var message uint32
		var key, pid uintptr // pid stands where other ports give a pointer
		err := windows.GetQueuedCompletionStatus(port, &message, &key, (**windows.Overlapped)(unsafe.Pointer(&pid)), jobRecheck)
		if err == nil && message == msgEmpty || err != nil && len(members()) == 0 {
			return
		}
	}
}

// members returns the pids in the job, by JobObjectBasicProcessIdList.
func members() []int {
	// JOBOBJECT_BASIC_PROCESS_ID_LIST, pinned because it is passed as a number. It is filled even where it is
	// too small.
	list := &struct {
		assigned, listed uint32
		pids             [maxMembers]uintptr
	}{}
	var pin runtime.Pinner
	pin.Pin(list)
	defer pin.Unpin()
	_ = windows.QueryInformationJobObject(job, windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(list)), uint32(unsafe.Sizeof(*list)), nil)
	pids := make([]int, list.listed)
	for i := range pids {
		pids[i] = int(list.pids[i])
	}
	return pids
}

// Tree returns the living processes that the command started. A process must be in the job before and after it
// is described, because the pid of an exited process is soon a stranger's.
func Tree() []proc.Info {
	described := map[int]proc.Info{}
	for _, pid := range members() {
		if _, done := described[pid]; done {
			continue
		}
		if info, err := proc.Read(pid); err == nil { // otherwise it has exited
			for _, info := range append(proc.Tree(pid), info) {
				described[info.PID] = info
			}
		}
	}
	var living []proc.Info
	for _, pid := range members() {
		if info, ok := described[pid]; ok {
			living = append(living, info)
		}
	}
	return living
}
