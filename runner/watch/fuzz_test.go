package watch

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"strings"
	"testing"

	"devtools/runner/runnertest"
)

// A state that is read is the same after it was written.
func FuzzState(f *testing.F) {
	var written bytes.Buffer
	if err := (&state{}).write(&written); err != nil {
		f.Fatal(err)
	}
	f.Add(written.Bytes(), uint64(0))
	snapshot, err := absent.WriteTo(&written)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(written.Bytes(), uint64(snapshot))
	f.Add([]byte("x"), ^uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, size uint64) {
		var s, again state
		if s.read(bytes.NewReader(append(binary.BigEndian.AppendUint64(nil, size), data...))) != nil {
			return
		}
		var written bytes.Buffer
		if err := s.write(&written); err != nil {
			t.Fatal(err)
		}
		if err := again.read(&written); err != nil || len(again.tops) != len(s.tops) || s.len() != again.len() {
			t.Errorf("%d files of %d tops, then %d of %d: %v", s.len(), len(s.tops), again.len(), len(again.tops), err)
		}
	})
}

// The name of a file is one argument of the command and no more, whatever a repository calls its files.
func FuzzExpand(f *testing.F) {
	shell := runnertest.Need(f, "sh")
	for _, path := range []string{"a b", "$(touch x)", "'; touch x; '", "`x`", "a\nb", "\\", "-rf", "~", "*", "!x", "\xff\x1b[31m"} {
		f.Add(path, "{}")
	}
	f.Fuzz(func(t *testing.T, path, other string) {
		if path == "" || other == "" || strings.Contains(path+other, "\x00") {
			return // not a path
		}
		command := expand([]string{shell, "-c", "printf '%s\\0' {}"}, []string{path, other})
		out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
		if want := path + "\x00" + other + "\x00"; err != nil || string(out) != want {
			t.Errorf("%q prints %q, %v", command[2], out, err)
		}
		direct := expand([]string{"prog", "{}", "x"}, []string{path, other})
		if len(direct) != 4 || direct[1] != path || direct[2] != other {
			t.Errorf("%q", direct)
		}
	})
}
