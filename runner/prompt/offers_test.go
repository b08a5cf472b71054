package prompt

import (
	"strings"
	"testing"

	"devtools/screen"
)

// Each recorded program that reads single keys waits for a person, and its picture says so.
func TestOffersRecorded(t *testing.T) {
	b, all := NewBook(nil), recordings(t)
	for _, tt := range readings {
		s := all[tt.name].scene()
		switch got := b.Offers(s); {
		case s.Canonical:
		case got == Nothing, got == Keys && tt.kind != TUI && tt.kind != Key:
			t.Errorf("%s (%s) offers %d", tt.name, tt.kind, got)
		}
	}
}

const (
	hide  = "\x1b[?25l"
	whole = "\x1b[?1049h" + hide
)

// offered is what a terminal offers to which something was written, by a program that reads single keys.
func offered(written string) Offer {
	t := screen.New(80, 24, 0)
	t.Write([]byte(strings.ReplaceAll(written, "\n", "\r\n")))
	return NewBook(nil).Offers(Scene{Picture: t.Snapshot(screen.Visible()), Hidden: t.HiddenRow() - t.Scrolled(), Command: "worker"})
}

func TestOffers(t *testing.T) {
	for written, want := range map[string]Offer{
		"? Project name: › my-app":                     Answer,
		"? Delete 3 files? (y/N) ":                     Command,
		"Fetching templates... done\n? Project name: ": Answer,
		"Press any key to continue . . . ":             Answer,
		"Fetching refs...\n? Switch to which branch?\n❯ \x1b[s  2/2\n❯ main\n  fix\x1b[u": Answer,
		hide + "Pick a mirror:\n\n\x1b[7m Frankfurt \x1b[m\n Oslo\n":                      Answer,
		"(turtle) ": Command,
		"engine〉":   Command,
		hide + "? Pick a color:\n❯ red\n  green\n":                                        Answer,
		hide + "✔ Loaded 100%\n? Pick a color:\n❯ red\n  green\n":                         Answer,
		hide + "Pick a table\n\n  users\n  orders\n\n↑/k up • ↓/j down • q quit • ? more": Keys,
		hide + "Which fruit?\n\x1b[7m apple \x1b[m\n banana\n":                            Answer,
		whole + "Inbox\n\n  one\n\x1b[7m  two   \x1b[m\n  three\n":                        Answer,
		whole + "Disk use 45 %\n\n  /usr\n\x1b[48;5;24m  /var  \x1b[m\n  /tmp\n":          Answer,
		whole + "My tool\n\nnothing selected\n\nq quit  ? help":                           Keys,
		whole + "Setup\n\n^X Exit  ^O Save":                                               Keys,
		whole + "Delete everything?\n\n(y/n)":                                             Keys,
		whole + "Finished\n\nPress any key to go back":                                    Keys,
		whole + "CMOS Setup\n\n\x1b[24;1HF1 Help  F10 Quit":                               Keys,
		"Assistant: ": Answer,
		hide + "╭──────────╮\n│ Go on?   │\n│ 1. Yes   │\n│ 2. No    │\n╰──────────╯\n": Answer,
		"Setup\n\n[ ] Send reports\n( ) Dark\n< Finish >\x1b[2A\r\x1b[C":                Answer,
		"debug> ":                           Command,
		"Vault (input will not be shown): ": Answer,
	} {
		if got := offered(written); got != want {
			t.Errorf("%q offers %d, want %d", written, got, want)
		}
	}
}

func TestOffersNothing(t *testing.T) {
	for _, written := range []string{
		"", hide, whole, "hello\n", "12:34:56",
		"Workers: 4\n", "Copied files: ", "step 3 -> ", "worker[3] ", "* ",
		"Steps:\n✔ build\n• push\n• notify\n", "Changed files:\n• a.txt\n• b.txt\n",
		"3 tests passed. [r]un again  [f]ailed only  [q]uit\n",
		hide + "Test run:\n\n some text\n\n more text\n\n\x1b[41m FAIL \x1b[m src/a.js\n rest\n",
		"Packages:\n    ", hide + "Why? See\n1. build\n2. push\n",
		"Loading…", "Loading… ", hide + "Please wait", "Working: ", "Downloading: 45 % ",
		hide + "Installing\n\n[=====>    ] 45 %\n", hide + "12/40 packages", hide + "████░░░░  45%\n\nPress any key to quit",
		hide + "⠋ Installing packages\n\nPress q to quit\n", hide + "3.4 MB/s  ETA 00:12",
		"Local: http://localhost:3000/\npress h + enter to show help\n", "Watching for changes\nPress Ctrl+C to stop",
		hide + "Listening on :8080\n\nPress q to quit\n",
		"Watch Usage\n › Press f to run only failed tests.\n › Press q to quit watch mode.\n › Press Enter to trigger a test run.\n",
		"  ➜  Local:   http://localhost:5173/\n  ➜  Network: use --host to expose\n  ➜  press h + enter to show help\n",
		"› Press a │ open Android\n› Press r │ reload app\n\nLogs for your project will appear below. Press Ctrl+C to exit.\n",
		whole + "Loading...\n\nq quit", whole + "Please wait\n\n\x1b[7mbuild\x1b[m\n\nq quit", whole + "copied 45 %\n\nq quit", whole + "12:34:56",
		whole + "\x1b[7mtitle of it\x1b[m\n\n17 jobs\n",
		hide + "\x1b[7m PASS \x1b[m one\n ok\n\x1b[7m RUNS \x1b[m two\n\n",
		"Overwrite? (y/N) y\n⠋ copying\n",
		hide + "? Pick a color: red\n⠙ making it\n",
	} {
		if offered(written) != Nothing {
			t.Errorf("%q is taken for an offer", written)
		}
	}
}
