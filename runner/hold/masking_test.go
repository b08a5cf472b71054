package hold

import (
	"testing"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner/wire"
)

// newMasking returns the part with a secret, and what it has written, which grows.
func newMasking(t *testing.T, secret string) (*masking, *string) {
	t.Helper()
	written := new(string)
	c := newWaits(t).core
	c.spec = wire.Spec{Secrets: []string{"T=" + secret}}
	m := &masking{core: c, record: func(data []byte, _ transcript.Kind, _ time.Time) { *written += string(data) }}
	if names := m.begin(); len(names) != 1 || names[0] != "T" {
		t.Fatalf("the names are %q", names)
	}
	return m, written
}

const secretName = "so-secret-name"

// What is held back is written after a pause of 100 ms, or 2 s after at least four bytes of the secret were typed.
func TestMaskingHold(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		what, typed, out, given string
		typedAgo, after         time.Duration
	}{
		{"nothing typed", "", "also", "al", 0, heldQuiet},
		{"nothing held", "so-se", "echo", "echo", 0, 0},
		{"one letter", "s", "s", "", 0, heldQuiet},
		{"three bytes", "so-", "so-", "", 0, heldQuiet},
		{"four bytes", "so-s", "so", "", 0, heldTyped},
		{"more held than typed", "so-s", "so-sec", "", 0, heldQuiet},
		{"the whole", secretName, "so-sec", "", 0, heldTyped},
		{"typed a second ago", "so-se", "so-se", "", time.Second, heldTyped - time.Second},
		{"typed long ago", "so-se", "so-se", "", time.Minute, heldQuiet},
		{"another line", "so-se\r", "so-se", "", 0, heldQuiet},
		{"after another line", "ls\rso-se", "so-se", "", 0, heldTyped},
	} {
		m, _ := newMasking(t, secretName)
		for _, key := range test.typed {
			m.noteTyped([]byte(string(key)), now.Add(-test.typedAgo))
		}
		if got := string(m.output([]byte(test.out), transcript.Output, now)); got != test.given {
			t.Errorf("%s: given %q, not %q", test.what, got, test.given)
		}
		switch at := m.deadline(); {
		case at.IsZero() != (test.after == 0) || m.held.Load() == at.IsZero():
			t.Errorf("%s: held %t until %v", test.what, m.held.Load(), at)
		case !at.IsZero() && at.Sub(now) != test.after:
			t.Errorf("%s: held for %v, not %v", test.what, at.Sub(now), test.after)
		}
	}
}

// What is written after a pause is masked from the fourth byte on, and the search goes on.
func TestMaskingRelease(t *testing.T) {
	m, written := newMasking(t, secretName)
	now := time.Now()
	for _, test := range []struct{ out, given, released string }{
		{"Also", "Al", "so"},
		{"-se", "", "***"},
		{"cret-name.", "*********.", ""},
		{"so-se", "", "*****"},
		{"so", "", "so"},
	} {
		if got := string(m.output([]byte(test.out), transcript.Output, now)); got != test.given {
			t.Errorf("%q gives %q, not %q", test.out, got, test.given)
		}
		*written = ""
		m.release(now)
		if *written != test.released || m.held.Load() || !m.deadline().IsZero() {
			t.Errorf("%q: released %q, not %q", test.out, *written, test.released)
		}
	}
	*written = ""
	m.output([]byte("err so-s"), transcript.Stderr, now)
	m.output([]byte("out so"), transcript.Output, now)
	if m.ended(transcript.Output); *written != "so" || !m.held.Load() {
		t.Errorf("at the end of one output %q is written", *written)
	}
	if m.ended(transcript.Stderr); *written != "so****" || m.held.Load() {
		t.Errorf("at the end of both %q is written", *written)
	}
}

// An escape sequence is written at once, since the terminal may have to answer it.
func TestMaskingSequence(t *testing.T) {
	now := time.Now()
	for _, test := range []struct{ secret, out, given string }{
		{"n-secret-name", "\x1b[6n", "\x1b[6n"},
		{"m-secret-name", "$ \x1b[0;31m", "$ \x1b[0;31m"},
		{"B-secret-name", "\x1b(B", "\x1b(B"},
		{"[6n-secret-name", "\x1b[6n", "\x1b[6n"},
		{"\x1b[6n-secret-name", "\x1b[6n", ""},
		{"[secret-name", "\x1b[", "\x1b"},
		{"n-secret-name", "in", "i"},
		{"8n-secret", "[18", "[1"},
	} {
		m, _ := newMasking(t, test.secret)
		if got := string(m.output([]byte(test.out), transcript.Output, now)); got != test.given {
			t.Errorf("%q of %q gives %q, not %q", test.out, test.secret, got, test.given)
		}
		if m.held.Load() != (test.given != test.out) {
			t.Errorf("%q of %q: something is held: %t", test.out, test.secret, m.held.Load())
		}
	}
	m, _ := newMasking(t, "m-secret-name")
	m.output([]byte("\x1b[0m"), transcript.Output, now)
	if got := string(m.output([]byte("m-secret-name."), transcript.Output, now)); got != "*************." {
		t.Errorf("after a sequence %q is given", got)
	}
}

// What a program prints in parts to its two pipes stands side by side in the transcript, and is masked there from the second part on.
func TestMaskingPipes(t *testing.T) {
	m, written := newMasking(t, secretName)
	m.spec.NoTerminal = true
	now := time.Now()
	for _, part := range []struct {
		text, want string
		kind       transcript.Kind
	}{
		{"so-secret-namso-", "so-secret-nam", transcript.Output},
		{"e, ", "*, ", transcript.Stderr},
		{"x, so-secso-", "so-x, so-sec", transcript.Output},
		{"ret-namex", "********x", transcript.Stderr},
	} {
		if got := string(m.output([]byte(part.text), part.kind, now)); got != part.want {
			t.Errorf("%q: %q, want %q", part.text, got, part.want)
		}
	}
	if m.release(now); *written != "so-" {
		t.Errorf("released: %q", *written)
	}
}
