package proc

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// procargs is what the kernel of macOS returns for these arguments.
func procargs(args []string, environ string) []byte {
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(args)))
	data = append(data, "/bin/sleep\x00\x00\x00\x00\x00\x00"...)
	for _, arg := range args {
		data = append(append(data, arg...), 0)
	}
	return append(data, environ...)
}

func TestParseProcargs(t *testing.T) {
	for _, want := range [][]string{nil, {"sleep"}, {"sleep", "", "10"}, {"sh", "-c", "echo a; echo b"}} {
		if got := parseProcargs(procargs(want, "HOME=/\x00")); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, data := range []string{"", "\x01\x00\x00", "\x01\x00\x00\x00", "\x02\x00\x00\x00/x\x00\x00a\x00", "\xff\xff\xff\xff/x\x00a\x00"} {
		if got := parseProcargs([]byte(data)); got != nil {
			t.Errorf("%q: got %q", data, got)
		}
	}
}

// Arguments come back as they were, whatever the environment holds after them. An
// empty first argument looks like padding and is lost.
func FuzzProcargs(f *testing.F) {
	f.Add("sleep\n10", "A=b\x00")
	f.Add("sh\n\n-c", "")
	f.Fuzz(func(t *testing.T, text, environ string) {
		want := strings.Split(strings.ReplaceAll(text, "\x00", ""), "\n")
		if want[0] == "" {
			return
		}
		if got := parseProcargs(procargs(want, environ)); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		parseProcargs([]byte(text))
	})
}
