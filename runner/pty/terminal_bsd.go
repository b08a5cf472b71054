//go:build darwin || freebsd

package pty

import "syscall"

// blockingMaster says whether the master of a PTY is read in blocking mode. When kqueue(2) polls it, reading
// it was reported to take a whole processor on macOS (github.com/creack/pty issue 162).
const blockingMaster = true

// inputQueue asks how much input waits: FIONREAD of sys/filio.h, _IOR('f', 127, int).
const inputQueue = 0x4004667f

// HangUp closes the holder's slave in the background. The last close waits until the output is read, for at
// most 0.6 s on macOS (ptsclose of XNU's tty_dev.c) and 5 min on FreeBSD (kern.tty_drainwait). After that it
// throws the rest away. Meanwhile the holder's loop must go on taking the output that is read.
func (t *Terminal) HangUp() error {
	go func() { _ = t.Slave.Close() }() // it ends with the holder at the latest
	return nil
}

// readNow is read(2).
func readNow(fd int, p []byte) (n int, err error) { return syscall.Read(fd, p) }
