package hold

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"devtools/runner/blocked"
	"devtools/runner/wire"
)

// What became of keys follows from what the terminal tells and from how much the reader has read since.
func TestProofFate(t *testing.T) {
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	gone, here := ended.Process.Pid, os.Getpid()
	const much = 1 << 50
	for _, test := range []struct {
		name     string
		proof    proof
		discards int64
		want     wire.Delivery
	}{
		{"nothing was thrown away", proof{size: much}, 0, wire.Read},
		{"it has read them, and threw away the rest", proof{reader: blocked.Block{PID: here}, counted: true, size: 1}, 1, wire.Read},
		{"it has read less", proof{reader: blocked.Block{PID: here}, counted: true, size: much}, 1, wire.Discarded},
		{"a line was waited for, and it has read less", proof{reader: blocked.Block{PID: here}, counted: true, lines: true, line: true, size: much}, 1, wire.Discarded},
		{"the line was edited", proof{reader: blocked.Block{PID: here}, counted: true, lines: true, line: true, edited: true, size: much}, 1, wire.Read},
		{"a line for a hidden program", proof{lines: true, line: true, size: 1}, 1, wire.Read},
		{"keys for a hidden program", proof{size: 1}, 1, wire.Unknown},
		{"it slept until they came, and has ended", proof{reader: blocked.Block{PID: gone, Timeout: -1}, counted: true, size: 1}, 1, wire.Read},
		{"it woke often, and has ended", proof{reader: blocked.Block{PID: gone, Timeout: time.Millisecond}, counted: true, size: 1}, 1, wire.Unknown},
		{"it was seen to read them, and has ended", proof{reader: blocked.Block{PID: gone}, counted: true, taken: true, size: 1}, 1, wire.Read},
	} {
		if got := test.proof.fate(test.discards); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Only in canonical mode does the terminal edit what was typed. Elsewhere, every byte is for the program.
func TestProofEdited(t *testing.T) {
	for _, test := range []struct {
		lines bool
		data  string
		want  bool
	}{{true, "text\r", false}, {true, "tex\x7ft\r", true}, {true, "\x04", true}, {false, "\x1b[A", false}} {
		p := proof{lines: test.lines}
		p.add([]byte(test.data))
		if p.edited != test.want || p.size != int64(len(test.data)) {
			t.Errorf("%q: %+v", test.data, p)
		}
	}
}

// Of a program that was not seen to wait for the keys, only the number of bytes decides what became of them.
func TestProofExactFate(t *testing.T) {
	here := blocked.Block{PID: os.Getpid()}
	for _, test := range []struct {
		name     string
		proof    proof
		discards int64
		want     wire.Delivery
	}{
		{"nothing was thrown away", proof{reader: here, counted: true, size: 1}, 0, wire.Read},
		{"it has read more than the keys", proof{reader: here, counted: true, size: 1}, 1, wire.Unknown},
		{"it has read less", proof{reader: here, counted: true, size: 1 << 50}, 1, wire.Discarded},
		{"nobody is known", proof{size: 1}, 1, wire.Unknown},
	} {
		if got := test.proof.exactFate(test.discards); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
