//go:build !linux

package proc

func stillness([]Info) (sum uint64, ok bool) { return 0, false }

func glimpse(pid int) (Info, error) { return Read(pid) }

func opensSockets(int) bool { return true }
