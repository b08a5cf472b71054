package attach

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParseKeys(t *testing.T) {
	for text, want := range map[string]string{
		`ctrl-\`: "\x1c", "ctrl-p,ctrl-q": "\x10\x11", "a": "a", "ctrl-@": "\x00", "ctrl-[": "\x1b", "ctrl-]": "\x1d", "ctrl-^": "\x1e", "ctrl-_": "\x1f",
		"ctrl-a,d": "\x01d", "Q,ctrl-z": "Q\x1a", "alt-pageup": "\x80", "ctrl-b,[": "\x02[", `\`: `\`,
	} {
		keys, err := ParseKeys(text)
		if err != nil || string(keys) != want || keys.String() != text {
			t.Errorf("%s: %q (%s), %v, want %q", text, string(keys), keys, err, want)
		}
	}
	for _, text := range []string{"", ",", "ctrl-", "ctrl-A", "ab", "ctrl-ab", "ctrl-1", "1", "ctrl-p,", "ctrl-ä", " ", "^P", "pageup", "ctrl-alt-pageup"} {
		if keys, err := ParseKeys(text); !errors.Is(err, ErrBadKeys) {
			t.Errorf("%q: %q, %v", text, keys, err)
		}
	}
}

func TestHotkeys(t *testing.T) {
	type step struct{ in, pass string }
	for name, test := range map[string]struct {
		keys  string
		steps []step
		want  bool
	}{
		"alone":            {`ctrl-\`, []step{{"\x1c", ""}}, true},
		"behind text":      {`ctrl-\`, []step{{"abc\x1cdef", "abc"}}, true},
		"another":          {`ctrl-\`, []step{{"abc\x03\x1b[A", "abc\x03\x1b[A"}}, false},
		"kitty":            {`ctrl-\`, []step{{"x\x1b[92;5u", "x"}}, true},
		"kitty press":      {`ctrl-\`, []step{{"\x1b[92;5:1u", ""}}, true},
		"kitty release":    {`ctrl-\`, []step{{"\x1b[92;5:3u", "\x1b[92;5:3u"}}, false},
		"kitty num lock":   {`ctrl-\`, []step{{"\x1b[92;133u", ""}}, true},
		"kitty alternate":  {`ctrl-_`, []step{{"\x1b[45:95;6u", ""}}, true},
		"kitty plain":      {`ctrl-\`, []step{{"\x1b[92u", "\x1b[92u"}}, false},
		"kitty alt":        {`ctrl-\`, []step{{"\x1b[92;7u", "\x1b[92;7u"}}, false},
		"kitty letter":     {`a`, []step{{"\x1b[97u", ""}}, true},
		"other keys":       {`ctrl-\`, []step{{"\x1b[27;5;92~", ""}}, true},
		"function key":     {`ctrl-\`, []step{{"\x1b[15;5~", "\x1b[15;5~"}}, false},
		"two":              {"ctrl-p,ctrl-q", []step{{"\x10", ""}, {"\x11", ""}}, true},
		"half":             {"ctrl-p,ctrl-q", []step{{"\x10", ""}, {"x", "\x10x"}}, false},
		"half twice":       {"ctrl-p,ctrl-q", []step{{"\x10\x10", "\x10"}, {"\x11", ""}}, true},
		"overlap":          {"p,p,q", []step{{"ppp", "p"}, {"q", ""}}, true},
		"two in kitty":     {"ctrl-p,ctrl-q", []step{{"\x1b[57442;5u\x1b[112;5u\x1b[112;5:3u", "\x1b[57442;5u"}, {"\x1b[57442;1:3u\x1b[57442;5u", ""}, {"\x1b[113;5u", ""}}, true},
		"half in kitty":    {"ctrl-p,ctrl-q", []step{{"\x1b[112;5u\x1b[112;5:3u", ""}, {"\x1b[120u", "\x1b[112;5u\x1b[112;5:3u\x1b[120u"}}, false},
		"escape":           {`ctrl-\`, []step{{"\x1b", "\x1b"}, {"[", "["}, {"92;5u", "92;5u"}}, false},
		"alt bracket":      {`ctrl-\`, []step{{"\x1b[", "\x1b["}}, false},
		"cut":              {`ctrl-\`, []step{{"\x1b[9", ""}, {"2;5u", ""}}, true},
		"cut, another":     {`ctrl-\`, []step{{"\x1b[1", ""}, {";5A", "\x1b[1;5A"}}, false},
		"paste":            {`ctrl-\`, []step{{"\x1b[200~a\x1cb\x1b[20", "\x1b[200~a\x1cb"}, {"1~c", "\x1b[201~c"}, {"\x1c", ""}}, true},
		"mouse":            {`ctrl-\`, []step{{"\x1b[<0;28;5M\x1b[M #\x7f", "\x1b[<0;28;5M\x1b[M #\x7f"}}, false},
		"utf-8":            {`ctrl-\`, []step{{"世\x1c", "世"}}, true},
		"escape as a key":  {"ctrl-[,q", []step{{"\x1b", ""}, {"[A", "\x1b[A"}, {"\x1bq", ""}}, true},
		"end of a paste":   {`ctrl-\`, []step{{"\x1b[200~\x1b[201~\x1c", "\x1b[200~\x1b[201~"}}, true},
		"half at an arrow": {"ctrl-p,ctrl-q", []step{{"\x10\x1b[B", "\x10\x1b[B"}}, false},
	} {
		keys, err := ParseKeys(test.keys)
		if err != nil {
			t.Fatal(err)
		}
		d := hotkeys{keys: [...]Keys{keys, DefaultCopyKeys}}
		detached := false
		for i, s := range test.steps {
			pass, hit, _ := d.take([]byte(s.in))
			detached = hit == detachKey
			if string(pass) != s.pass {
				t.Errorf("%s, step %d: %q passes, want %q", name, i, pass, s.pass)
			}
		}
		if detached != test.want {
			t.Errorf("%s: detached %v", name, detached)
		}
	}
}

// Two hotkeys may begin alike. In copy mode only the keys that detach count.
func TestHotkeysTwo(t *testing.T) {
	for _, test := range []struct {
		detach, copying string
		in, pass        string
		hit             hotkey
		rest            string
		inCopyMode      bool
	}{
		{`ctrl-\`, "alt-pageup", "ab\x1b[5;3~cd", "ab", copyKey, "cd", false},
		{`ctrl-\`, "alt-pageup", "\x1b[5;131~", "", copyKey, "", false},
		{`ctrl-\`, "alt-pageup", "\x1b[5;3:1~\x1b[5;3:3~", "", copyKey, "\x1b[5;3:3~", false},
		{`ctrl-\`, "alt-pageup", "\x1b[5;3:3~", "\x1b[5;3:3~", noHotkey, "", false},
		{`ctrl-\`, "alt-pageup", "\x1b\x1b[5~x", "", copyKey, "x", false},
		{`ctrl-\`, "alt-pageup", "\x1b[5~\x1b[5;5~\x1b[6;3~", "\x1b[5~\x1b[5;5~\x1b[6;3~", noHotkey, "", false},
		{`ctrl-\`, "alt-pageup", "\x1b[5;3~\x1c", "\x1b[5;3~", detachKey, "", true},
		{"ctrl-a,d", "ctrl-a,[", "\x01[d", "", copyKey, "d", false},
		{"ctrl-a,d", "ctrl-a,[", "\x01d[", "", detachKey, "[", false},
		{"ctrl-a,d", "ctrl-a,[", "\x01x\x01", "\x01x", noHotkey, "", false},
		{"ctrl-a,d", "ctrl-b,[", "\x02[", "\x02[", noHotkey, "", true},
	} {
		detach, err := ParseKeys(test.detach)
		if err != nil {
			t.Fatal(err)
		}
		copying, err := ParseKeys(test.copying)
		if err != nil {
			t.Fatal(err)
		}
		h := hotkeys{keys: [...]Keys{detach, copying}, copying: test.inCopyMode}
		pass, hit, rest := h.take([]byte(test.in))
		if string(pass) != test.pass || hit != test.hit || string(rest) != test.rest {
			t.Errorf("%s, %s, %q: %q passes, then %v and %q", test.detach, test.copying, test.in, pass, hit, rest)
		}
	}
}

// TestHotkeysPass checks that input without the detach keys passes unchanged, in whatever pieces it comes.
func TestHotkeysPass(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		var in strings.Builder
		for range r.IntN(200) {
			in.WriteString([]string{"a", "\x10", "\x1b[A", "\x1b[200~", "\x1b[201~", "\x1b[112;5u", "\x1b", "世", "\x00", "\x1b[<35;1;1M", "\x1b[27;5;112~"}[r.IntN(11)])
		}
		d := hotkeys{keys: [...]Keys{{0x10, 0x11}, DefaultCopyKeys}}
		var out []byte
		for rest := []byte(in.String() + "\x1b[201~."); len(rest) > 0; {
			n := min(1+r.IntN(20), len(rest))
			pass, hit, _ := d.take(rest[:n])
			if hit != noHotkey {
				t.Fatalf("hotkey %v in %q", hit, in.String())
			}
			out, rest = append(out, pass...), rest[n:]
		}
		if string(out) != in.String()+"\x1b[201~." {
			t.Fatalf("%q passes as %q", in.String(), out)
		}
	}
}

// FuzzHotkeys checks that all typed bytes are passed on or kept. The pieces make no difference, except for a lone ESC
// at their end.
func FuzzHotkeys(f *testing.F) {
	f.Add([]byte("abc\x10x\x10\x11"), 2)
	f.Add([]byte("\x1b[112;5u\x1b[112;5:3u\x1b[113;5u"), 100)
	f.Add([]byte("\x1b[200~\x10\x11\x1b[201~\x10"), 3)
	f.Fuzz(func(t *testing.T, typed []byte, n int) {
		n = max(n, 1)
		d := hotkeys{keys: [...]Keys{{0x10, 0x11}, DefaultCopyKeys}}
		var out []byte
		for rest := typed; len(rest) > 0; rest = rest[min(n, len(rest)):] {
			pass, hit, _ := d.take(rest[:min(n, len(rest))])
			out = append(out, pass...)
			if hit != noHotkey {
				if !bytes.HasPrefix(typed, out) {
					t.Fatalf("%q passes as %q", typed, out)
				}
				return
			}
		}
		for _, k := range d.held {
			out = append(out, k.bytes...)
		}
		if out = append(out, d.part...); !bytes.Equal(out, typed) {
			t.Fatalf("%q passes, or is kept, as %q", typed, out)
		}
	})
}
