package pty

import (
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// An InputPipe is the writing end of the pipe that a program without a terminal has as its standard input. Nothing else has that
// end: when it is closed, by Close or by the end of this process, the program has read to the end of its input.
type InputPipe struct {
	file    *os.File
	written atomic.Int64
	last    atomic.Pointer[pipeLook] // what was known when the pipe was closed; nil: it is open

	inode, filesystem uint64
}

// A pipeLook is what is known of the readers of a pipe at one moment.
type pipeLook struct {
	unread  int64 // bytes that were written and not read
	readers bool  // a process has the pipe open for reading
	err     error
}

// openInput returns both ends of a pipe. Both are closed on exec, and a write waits in the poller of the runtime.
func openInput() (reading *os.File, p *InputPipe, err error) {
	reading, writing, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	p = &InputPipe{file: writing}
	p.inode, p.filesystem = inodeOf(writing)
	return reading, p, nil
}

// Write writes data, and returns how many bytes the pipe has taken. The error is os.ErrDeadlineExceeded if it was full at the time
// until, and syscall.EPIPE if no process has it open for reading.
func (p *InputPipe) Write(data []byte, until time.Time) (n int, err error) {
	if err := p.file.SetWriteDeadline(until); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return 0, err
	}
	n, err = p.file.Write(data)
	p.written.Add(int64(n))
	return n, err
}

// Written returns how many bytes the pipe has taken so far.
func (p *InputPipe) Written() int64 { return p.written.Load() }

// Read returns how many of the written bytes were read. readers is false once no process has the pipe open for reading. Of a
// closed pipe it returns what was known then. The error is errors.ErrUnsupported where the system does not tell.
func (p *InputPipe) Read() (n int64, readers bool, err error) {
	written := p.Written() // before the look: what is written meanwhile counts as unread
	now := p.look()
	if last := p.last.Load(); last != nil {
		now, written = *last, p.Written() // a write may have been counted only after the look
	}
	return max(0, written-now.unread), now.readers, now.err
}

func (p *InputPipe) look() pipeLook {
	unread, readers, err := p.unread()
	return pipeLook{unread, readers, err}
}

// Inode returns the number of the pipe and of its file system, st_ino and st_dev of stat(2). They are 0 if they are unknown.
func (p *InputPipe) Inode() (inode, filesystem uint64) { return p.inode, p.filesystem }

// Close closes the pipe.
func (p *InputPipe) Close() error {
	look := p.look()
	p.last.CompareAndSwap(nil, &look)
	return p.file.Close()
}
