package attach

import (
	"fmt"
	"strings"
	"testing"
)

// kinds writes actions as a test does.
func kinds(actions []copyAction) string {
	var all []string
	for _, a := range actions {
		text := fmt.Sprint(int(a.do))
		if a.do == insertText {
			text = a.text
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func TestCopyInput(t *testing.T) {
	n := func(list ...copyKind) string {
		var actions []copyAction
		for _, do := range list {
			actions = append(actions, copyAction{do: do})
		}
		return kinds(actions)
	}
	for in, want := range map[string]struct{ actions, rest string }{
		"hjkl":                               {n(moveLeft, moveDown, moveUp, moveRight), ""},
		"\x1b[A\x1b[B\x1bOC\x1b[1;2D":        {n(moveUp, moveDown, moveRight, moveLeft), ""},
		"\x1b[5~\x1b[6~\x1b[5;3~\x1b\x1b[5~": {n(pageUp, pageDown, pageUp, pageUp), ""},
		"\x02\x06\x15\x04gG":                 {n(pageUp, pageDown, halfUp, halfDown, moveTop, moveBottom), ""},
		"nN":                                 {n(searchAgain, searchBack), ""},
		"qls\r":                              {n(endCopy), "ls\r"},
		"\rx":                                {n(endCopy), "x"},
		"\x03":                               {n(endCopy), ""},
		"\x1b\x1b":                           {"", ""}, // a key with Alt may come
		"\x1bq":                              {"", ""}, // q with Alt
		"\x1b[5;3:3~\x1b[I\x1b[200x":         {"", ""}, // released, focus, unknown
		"/aq世\x7f\rk":                        {n(askForward) + " a q 世 " + n(eraseText, search, moveUp), ""},
		"?a\x15b\x03qk":                      {n(askBackward) + " a " + n(clearText) + " b " + n(dropText, endCopy), "k"},
		"/\x03k":                             {n(askForward, dropText, moveUp), ""},
		"\x1b[200~qq\r\x1b[201~j":            {n(moveDown), ""}, // pasted text is no command
		"/\x1b[200~a\rb\x1b[201~\r":          {n(askForward) + " a b " + n(search), ""},
		"\xff\x00zZ":                         {"", ""},
	} {
		for _, whole := range []bool{true, false} {
			var c copyInput
			c.begin()
			var got []copyAction
			rest := ""
			for i := 0; i < len(in); i++ {
				piece := in[i : i+1]
				if whole {
					piece, i = in, len(in)
				}
				actions, left := c.take([]byte(piece))
				got, rest = append(got, actions...), rest+string(left)
			}
			if kinds(got) != want.actions || whole && rest != want.rest {
				t.Errorf("%q, whole %v: %s and %q, want %s and %q", in, whole, kinds(got), rest, want.actions, want.rest)
			}
		}
	}
}

// A lone ESC ends copy mode when nothing follows it.
func TestCopyInputEscape(t *testing.T) {
	var c copyInput
	c.begin()
	if actions, rest := c.take([]byte("k\x1b")); kinds(actions) != kinds([]copyAction{{do: moveUp}}) || len(rest) > 0 || !c.open() {
		t.Errorf("%v, %q, open %v", actions, rest, c.open())
	}
	if actions := c.settle(); len(actions) != 1 || actions[0].do != endCopy || c.on || c.open() {
		t.Errorf("%v, on %v", actions, c.on)
	}
	if actions := c.settle(); actions != nil {
		t.Errorf("again: %v", actions)
	}
}

// FuzzCopyInput checks that no input is taken for more than it has, and that nothing is left while copy mode goes on.
func FuzzCopyInput(f *testing.F) {
	f.Add([]byte("k\x1b[5~/a\x7f\rnq rest"))
	f.Add([]byte("\x1b\x1b[\x1b_G\x1bO"))
	f.Fuzz(func(t *testing.T, typed []byte) {
		var c copyInput
		c.begin()
		actions, rest := c.take(typed)
		if c.on && len(rest) > 0 || len(actions) > len(typed) || len(rest)+len(c.part) > len(typed) {
			t.Fatalf("%q: %v, %q is left, %q is kept", typed, actions, rest, c.part)
		}
	})
}
