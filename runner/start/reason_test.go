package start

import (
	"bufio"
	"errors"
	"strings"
	"testing"

	"devtools/runner/wire"
)

// What Go's runtime says of a holder that cannot run becomes one line; its trace is left out.
func TestReadStart(t *testing.T) {
	const thread = "runtime: failed to create new OS thread (have 4 already; errno=11)\n" +
		"runtime: may need to increase max user processes (ulimit -u)\nfatal error: newosproc\n\nruntime stack:\nruntime.throw({0xaa, 0x1})\n"
	for said, want := range map[string]string{
		thread: "it ended at once: runtime: failed to create new OS thread (have 4 already; errno=11); " +
			"runtime: may need to increase max user processes (ulimit -u); fatal error: newosproc",
		"devtools: read what to hold: EOF\n": "it ended at once: read what to hold: EOF",
		"":                                   "it ended at once: the system may have killed it for want of memory",
		"\n\n":                               "it ended at once: the system may have killed it for want of memory",
		"\n \nfatal error\n\ntrace":          "it ended at once: fatal error",
		strings.Repeat("x", 10000):           "it ended at once: " + strings.Repeat("x", reasonLength) + "…",
		"a\n" + strings.Repeat("é", 500):     "it ended at once: a; " + strings.Repeat("é", reasonLength/2-1) + "…",
	} {
		if _, err := readStart(bufio.NewReader(strings.NewReader(said))); !errors.Is(err, wire.ErrHolderFailed) || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", said, err, want)
		}
	}
	for _, before := range []string{"", "gc 1 @0.002s 4%\n\n"} {
		resp, err := readStart(bufio.NewReader(strings.NewReader(before + `{"v":1,"id":7}` + "\n")))
		if err != nil || resp.ID != 7 {
			t.Errorf("an answer after %q: %+v, %v", before, resp, err)
		}
	}
}
