package commands

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"devtools/ledger"
)

// An answer is the text behind the first = that is no part of the pattern. No error shows it: it may be a password.
func FuzzParseAnswer(f *testing.F) {
	f.Add(`sure\? =`, "secret-text")
	f.Add(`a\=b=`, "keys:Down Enter secret-text")
	f.Add("(=", "secret-text")
	f.Add("", "\\keys:secret-text")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		a, err := parseAnswer(pattern + text)
		switch {
		case err == nil && a.Pattern == nil || err == nil && a.Text == "" && len(a.Keys) == 0 && strings.Trim(pattern+text, `\`) == "":
			t.Errorf("%q is %+v", pattern+text, a)
		case err != nil && strings.HasSuffix(pattern, "=") && !strings.ContainsAny(text, " \t\\:"):
			if len(text) > 3 && strings.Contains(err.Error(), text) && !strings.Contains(pattern, text) {
				t.Errorf("%q: the error shows the text: %v", pattern+text, err)
			}
		}
	})
}

// Words of a foreign state folder are offered whole or not at all, each on its line, and nothing is written to the disk.
func FuzzComplete(f *testing.F) {
	for i, line := range []string{"devtools log ", "devtools run --in w", "devtools kill 1", "devtools wait --label ", "devtools wait a --until port:", "devtools help l", "devtools --dir x ps "} {
		f.Add(line, []string{"web", "we b", "a\nrm -rf x"}[i%3], "echo a\nrm -rf x\x1b[31m", "\x1b]0;x\a")
	}
	folder := filepath.Join(f.TempDir(), ledger.FolderName)
	dir, err := ledger.Create(folder)
	if err != nil {
		f.Fatal(err)
	}
	f.Setenv("DEVTOOLS_DIR", folder)
	f.Fuzz(func(t *testing.T, line, name, command, label string) {
		if strings.Contains(line, "-C") { // it changes the working directory
			return
		}
		session := ledger.Session{ID: "6an1wwf0d8", Name: name, Command: []string{"sh", "-c", command}, Status: ledger.StatusRunning, Labels: map[string]string{"l": label}}
		if err := dir.Update(t.Context(), func(a *ledger.Active) error { a.Put(session); return nil }); err != nil {
			t.Fatal(err)
		}
		before := entriesIn(t, folder)
		for _, shell := range []string{"bash", "zsh"} {
			args := strings.Split(line, " ")
			if shell == "bash" {
				args = []string{"devtools", line, " \t\n\"'><=;|&(:", "80"}
			}
			var out bytes.Buffer
			complete(shell, args, &out)
			for text := range strings.Lines(out.String()) {
				text, _, _ = strings.Cut(strings.TrimSuffix(text, "\n"), "\t")
				if strings.ContainsFunc(text, unicode.IsControl) || strings.HasPrefix(text, "rm ") && !strings.HasPrefix(name, "rm ") {
					t.Errorf("%s, %q: the word %q in %q", shell, line, text, out.String())
				}
			}
		}
		if after := entriesIn(t, folder); after != before {
			t.Errorf("%q: %s, before %s", line, after, before)
		}
	})
}

// entriesIn returns the names in a folder.
func entriesIn(t *testing.T, folder string) (names string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names += e.Name() + " "
	}
	return names
}
