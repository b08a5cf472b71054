package proc

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// stillness hashes how often each thread has left the processor, proc_pid_status(5).
func stillness(processes []Info) (sum uint64, ok bool) {
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	hash, looked := fnv.New64a(), 0
	write := func(n uint64) { _, _ = hash.Write(binary.LittleEndian.AppendUint64(nil, n)) } // it never fails
	for _, p := range slices.SortedFunc(slices.Values(processes), func(a, b Info) int { return cmp.Compare(a.PID, b.PID) }) {
		tids := []int{p.PID}
		if p.Threads > 1 || Foreign() {
			tids = threads(p.PID)
		}
		if looked += len(tids); looked > maxStill || len(tids) == 0 || p.Start == 0 {
			return 0, false
		}
		write(uint64(p.PID))
		write(p.Start)
		write(uint64(len(tids)))
		slices.Sort(tids)
		for _, tid := range tids {
			status, err := ReadInto(buf[:], Folder(p.PID)+"/task/"+strconv.Itoa(tid)+"/status")
			if err != nil || len(status) == len(buf) { // a part may end within a number
				return 0, false
			}
			state, own, forced := Field(status, "State:"), Field(status, "voluntary_ctxt_switches:"), Field(status, "nonvoluntary_ctxt_switches:")
			if state == "" || state[0] != 'S' && state[0] != 'T' || own == "" || forced == "" {
				return 0, false // a thread that runs has not counted this run yet
			}
			write(uint64(tid))
			_, _ = hash.Write([]byte(state[:1] + own + "," + forced)) // it never fails
		}
	}
	return hash.Sum64(), true
}

// threads lists the threads of a process.
func threads(pid int) []int {
	folder, err := unix.Open(Folder(pid)+"/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(folder)
	tids, err := Numbers(nil, folder)
	if err != nil {
		return nil // a part of the list proves nothing
	}
	return tids
}

func glimpse(pid int) (Info, error) { return readStat(pid) }

func opensSockets(pid int) bool {
	folder, err := unix.Open(Folder(pid)+"/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return true
	}
	defer unix.Close(folder)
	descriptors, err := Numbers(nil, folder)
	if err != nil {
		return true
	}
	var link [16]byte
	for _, fd := range descriptors {
		n, err := unix.Readlinkat(folder, strconv.Itoa(fd), link[:])
		if err != nil || bytes.HasPrefix(link[:n], []byte("socket:")) {
			return true
		}
	}
	return false
}
