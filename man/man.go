// Package man has the pages of the manual as text, so that devtools can print them on a machine without man.
package man

import (
	"compress/flate"
	_ "embed" // for the pages
	"io"
	"strings"
)

// packed holds the pages, compressed (RFC 1951). Each page is a form feed, the name of its file, a line feed, and the
// text that mandoc makes of it. A test in package commands holds it against the files, and writes it with -update.
//
//go:embed pages.bin
var packed string

// Page returns the text of the page in a file, such as devtools-run.1, or "" if there is no such page.
func Page(file string) (string, error) {
	pages, err := io.ReadAll(flate.NewReader(strings.NewReader(packed)))
	if err != nil {
		return "", err
	}
	_, text, _ := strings.Cut(string(pages), "\f"+file+"\n")
	text, _, _ = strings.Cut(text, "\f")
	return text, nil
}
