//go:build unix

package keys

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// The processor time to read an argument grows only with its length.
func TestLongArguments(t *testing.T) {
	const size = 1 << 19
	for _, unit := range []string{"[", "<", "<C-", "[C-", "C-", "Ctrl+", "[a", "[a ", "<a", "^^", "^[", `\\`, "\\x1b", "é", "\xff", "[Up]", "\x1b[201~", "\n"} {
		arg := strings.Repeat(unit, size/len(unit))
		start := processorTime(t)
		strokes, err := Parse([]string{arg})
		if err == nil {
			_, err = Encode(strokes, Modes{BracketedPaste: true}, true)
		}
		for _, s := range strokes[:min(len(strokes), 2)] {
			_ = s.String()
		}
		if took := processorTime(t) - start; took > 5*time.Second {
			t.Errorf("%q, repeated: %v, %v", unit, took, err)
		}
	}
}

// processorTime returns the processor time of this process. No other test runs beside one that is not parallel.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
