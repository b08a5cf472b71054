package pty

import (
	"bytes"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// open opens a terminal for a test, which reads lines.
func open(t testing.TB) *Terminal {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		master.Close()
		slave.Close()
	})
	return &Terminal{Master: master, Slave: slave}
}

// openRaw opens a terminal in raw mode without echo.
func openRaw(t testing.TB) *Terminal {
	t.Helper()
	tty := open(t)
	fd := int(tty.Slave.Fd())
	settings, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	settings.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG
	settings.Iflag &^= unix.ICRNL | unix.IXON
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, settings); err != nil {
		t.Fatal(err)
	}
	return tty
}

func TestUnread(t *testing.T) {
	tty := openRaw(t)
	fd := int(tty.Slave.Fd())
	early := 0 // how often FIONREAD by itself did not see it
	buf := make([]byte, 4096)
	for round := range 2000 {
		n := 1 + round*7%1000
		if _, err := tty.Master.Write(bytes.Repeat([]byte("x"), n)); err != nil {
			t.Fatal(err)
		}
		alone, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
		if err != nil {
			t.Fatal(err)
		}
		if alone != n {
			early++
		}
		if got, err := tty.Unread(); err != nil || got != n {
			t.Fatalf("round %d: %d unread, %v, want %d", round, got, err, n)
		}
		if got, err := unix.Read(fd, buf); err != nil || got != n {
			t.Fatalf("round %d: read %d, %v, want %d", round, got, err, n)
		}
		if got, err := tty.Unread(); err != nil || got != 0 {
			t.Fatalf("round %d: %d unread, %v after a read of all", round, got, err)
		}
	}
	t.Logf("FIONREAD alone did not see it in %d of 2000 rounds", early)
}

// What is there hides how much comes after it, but not that there is something.
func TestUnreadAddsUp(t *testing.T) {
	tty := openRaw(t)
	fd := int(tty.Slave.Fd())
	for round := range 500 {
		for n := 1; n <= 3; n++ {
			if _, err := tty.Master.WriteString("xx"); err != nil {
				t.Fatal(err)
			}
			got, err := tty.Unread()
			if err != nil || got <= 0 || got > 2*n {
				t.Fatalf("round %d: %d unread, %v, want at most %d", round, got, err, 2*n)
			}
		}
		if err := unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUnreadLines(t *testing.T) {
	tty := open(t)
	for _, step := range []struct {
		text string
		want int
	}{{"abc", 0}, {"d\n", 5}, {"ef", 5}} {
		if _, err := tty.Master.WriteString(step.text); err != nil {
			t.Fatal(err)
		}
		if got, err := tty.Unread(); err != nil || got != step.want {
			t.Errorf("after %q: %d unread, %v, want %d", step.text, got, err, step.want)
		}
	}
}

func BenchmarkUnread(b *testing.B) {
	tty := openRaw(b)
	for b.Loop() {
		if _, err := tty.Unread(); err != nil {
			b.Fatal(err)
		}
	}
}
