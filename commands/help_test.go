package commands

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v3"
)

// The help of a flag fits 60 columns without its default, and begins with a word in lower case or the flag's value.
func TestFlagHelp(t *testing.T) {
	const most = 60
	root := fullRoot(t)
	for _, cmd := range append([]*cli.Command{root}, visible(root)...) {
		for _, flag := range cmd.VisibleFlags() {
			documented, ok := flag.(cli.DocGenerationFlag)
			if !ok {
				continue
			}
			usage := documented.GetUsage()
			text := strings.ReplaceAll(usage, "`", "")
			if n := utf8.RuneCountInString(text); n > most || n == 0 {
				t.Errorf("%s --%s: %d columns: %q", cmd.Name, flag.Names()[0], n, text)
			}
			if first, _ := utf8.DecodeRuneInString(usage); first != '`' && !unicode.IsLower(first) {
				t.Errorf("%s --%s begins with neither a verb nor a noun: %q", cmd.Name, flag.Names()[0], text)
			}
		}
	}
}
