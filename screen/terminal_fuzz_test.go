package screen

import (
	"math/rand/v2"
	"testing"
)

// seedsOf adds the streams of the tables and of the grammar.
func seedsOf(add func(stream []byte)) {
	for _, s := range recordings {
		add([]byte(s.in))
	}
	for _, unit := range hostile {
		add([]byte(unit + unit))
	}
	for seed := range uint64(40) {
		add(hostileStream(rand.New(rand.NewPCG(seed, 3)).IntN, 30))
	}
}

// Any input, however it is split, gives the same valid picture.
func FuzzTerminal(f *testing.F) {
	seedsOf(func(stream []byte) {
		f.Add(stream, byte(79), byte(23), uint64(1))
		f.Add(stream, byte(4), byte(2), uint64(2))
	})
	f.Fuzz(func(t *testing.T, stream []byte, cols, rows byte, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 5))
		checkHostile(t, stream, 1+int(cols)%90, 1+int(rows)%30, hostileEvents(rng.IntN, len(stream)), rng.IntN)
	})
}

// Whatever the input is, answers are few and well formed. play checks each.
func FuzzReplies(f *testing.F) {
	seedsOf(func(stream []byte) { f.Add(stream) })
	for _, query := range []string{
		"\x1b[c", "\x1b[>c", "\x1b[=c", "\x1b[6n\x1b[?6n", "\x1b[?7$p\x1b[4$p", "\x1bP$qm\x1b\\", "\x1b[>q", "\x1b[21t", "\x1b]0;x\a\x1b[21t", "\x1b]4;1;?;2;?\a", "\x1b]10;?;?;?\a",
		"\x1b[1;1;1;1;1;1*y", "\x1b[?u", "\x1b]52;c;eA==\a\x1b]52;c;?\a", "\x1bP+q544e\x1b\\", "\x1bP$qecho\n\x1b\\", "\x1b]0;\u0085\u009d\a\x1b[21t\x1b[20t",
	} {
		f.Add([]byte(query))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		for range 2 { // the second time asks for settings of the first
			stream = append(stream[:len(stream):len(stream)], stream...)
			term := play(t, stream, 80, 24, nil, func() int { return len(stream) })
			if n := len(term.replies); n > 16*len(stream)+4096 {
				t.Errorf("%q: %d bytes of answers to %d", stream, n, len(stream))
			}
		}
	})
}
