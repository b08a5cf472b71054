package pty_test

import (
	"testing"
	"time"

	"devtools/ledger/transcript"
)

// The terminal tells when input is thrown away, and which keys it takes itself. The output has no byte more for that.
func TestDiscards(t *testing.T) {
	if !asHolder(t) {
		return
	}
	p := startShell(t, `trap "echo caught" INT; stty intr ^E; echo up; while :; do :; done`)
	p.await(t, "up")
	if err := p.Tty.Write([]byte("line\n")); err != nil {
		t.Fatal(err)
	}
	before := p.Tty.Discards()
	if n, err := p.Tty.Unread(); err != nil || n != 5 || before != 0 {
		t.Errorf("%d unread, %v, %d discards", n, err, before)
	}
	for key, want := range map[string]bool{"\x05": true, "\x1c": true, "\x11": true, "\x03": false, "x": false, "\x05\x05": false, "\x00": false, "": false} {
		if got := p.Tty.TakesItself([]byte(key)); got != want {
			t.Errorf("it takes %q itself: %v", key, got)
		}
	}
	if err := p.Tty.Write([]byte("\x05")); err != nil {
		t.Fatal(err)
	}
	p.await(t, "caught")
	for deadline := time.Now().Add(patience); p.Tty.Discards() == before && time.Now().Before(deadline); {
	}
	if n, err := p.Tty.Unread(); err != nil || n != 0 || p.Tty.Discards() != before+1 {
		t.Errorf("%d unread, %v, %d discards", n, err, p.Tty.Discards())
	}
	if err := p.Tty.Write([]byte("\x1c")); err != nil { // QUIT
		t.Fatal(err)
	}
	p.end(t)
	if got := p.text(transcript.Output); got != "up\r\nline\r\n^Ecaught\r\n^\\" {
		t.Errorf("printed %q", got)
	}
}
