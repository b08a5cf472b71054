package pty

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// A pipe tells how much of it was read, also what was known when it was closed. A full one takes what it has room for.
func TestInputPipe(t *testing.T) {
	reading, p, err := openInput()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Read(); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system does not tell what was read of a pipe")
	}
	n, err := p.Write(make([]byte, 1<<20), time.Now().Add(10*time.Millisecond))
	if !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 || n == 1<<20 || p.Written() != int64(n) {
		t.Errorf("a full pipe: %d bytes, %v; %d written", n, err, p.Written())
	}
	if read, readers, err := p.Read(); read != 0 || !readers || err != nil {
		t.Errorf("unread: %d, readers %v, %v", read, readers, err)
	}
	if _, err := reading.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	if read, _, _ := p.Read(); read != 5 {
		t.Errorf("%d bytes read, want 5", read)
	}
	if err := reading.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := p.Write([]byte("x"), time.Now().Add(time.Minute)); n != 0 || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("without a reader: %d bytes, %v", n, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if read, readers, err := p.Read(); read != 5 || readers || err != nil {
		t.Errorf("closed: %d read, readers %v, %v", read, readers, err)
	}
}
