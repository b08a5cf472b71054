package blocked

import (
	"errors"
	"testing"

	"devtools/runner/proc"
)

func TestParseSyscall(t *testing.T) {
	for _, tt := range []struct {
		line   string
		number int
		first  uint64
		err    error
	}{
		{"running\n", -1, 0, nil},
		{"-1 0x7ffe0cbe3b60 0x7f5c0de1c0c3\n", -1, 0, nil},
		{"0 0x3 0x7f 0x1000 0x22 0xffffffff 0x0 0x7ffe0cbe3b60 0x7f5c0de1c0c3\n", 0, 3, nil},
		{"7 0xffffffffffffffff 0x2 0x0 0x8 0x0 0x0 0x7ffe0cbe3b60 0x7f5c0de1c0c3", 7, 1<<64 - 1, nil},
		{"3 0x0 0x1 0x1 0x0 0x0 0x0 0xffa3b1c0 0xf7f5a559\n", -1, 0, proc.ErrNotPermitted}, // of 32 bits
		{"426 0x3 0x1 0x1 0x1 0x0 0x0 0x0 0x0\n", -1, 0, nil},                              // a worker of io_uring
		{"", -1, 0, errSyscall},
		{"0 0x3\n", -1, 0, errSyscall},
		{"0 0x3 0x7f 0x1000 0x22 0xffffffff 0x0\n", -1, 0, errSyscall},
		{"0 3 0x7f 0x1000 0x22 0xffffffff 0x0 0x7ffe0cbe3b60 0x7f5c0de1c0c3\n", -1, 0, errSyscall},
		{"-2 0x3 0x7f 0x1000 0x22 0xffffffff 0x0 0x7ffe0cbe3b60 0x7f5c0de1c0c3\n", -1, 0, errSyscall},
	} {
		b, err := parseSyscall([]byte(tt.line))
		if b.number != tt.number || !errors.Is(err, tt.err) || err == nil && b.args[0] != tt.first {
			t.Errorf("%q gives %+v, %v, want number %d, first argument %#x, %v", tt.line, b, err, tt.number, tt.first, tt.err)
		}
	}
}

func FuzzParseSyscall(f *testing.F) {
	f.Add([]byte("running\n"))
	f.Add([]byte("0 0x3 0x7f 0x1000 0x22 0xffffffff 0x0 0x7ffe0cbe3b60 0x7f5c0de1c0c3\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if b, err := parseSyscall(line); err != nil && b.number != -1 || b.number < -1 {
			t.Errorf("%q gives %+v, %v", line, b, err)
		}
	})
}
