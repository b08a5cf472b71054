package start

import (
	"bufio"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"devtools/runner/wire"
)

// What a holder says before it answers is told in a few lines, whatever it is, and its answer is found behind it.
func FuzzReadStart(f *testing.F) {
	f.Add("runtime: failed to create new OS thread\nfatal error: newosproc\n\ngoroutine 1:\n", true)
	f.Add("gc 1 @0.01s\n{}\n", false)
	f.Add("\xff\xfe", true)
	f.Fuzz(func(t *testing.T, words string, answered bool) {
		text := words
		if answered {
			text += "\n" + `{"v":1,"id":5}` + "\n"
		}
		resp, err := readStart(bufio.NewReaderSize(strings.NewReader(text), 64))
		if err != nil && errors.Is(err, wire.ErrHolderFailed) {
			if said := err.Error(); len(said) > 2*reasonLength {
				t.Errorf("%d bytes are told of %d", len(said), len(words))
			}
		}
		if plain := !strings.Contains(words, "{") && utf8.ValidString(words); answered && plain && (err != nil || resp.ID != 5) {
			t.Errorf("%q: %+v, %v", text, resp, err)
		}
	})
}
