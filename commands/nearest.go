package commands

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
)

// mostTypos is how many typing errors a word may have for which another word is suggested.
const mostTypos = 2

// didYouMean returns a hint with the word that a mistyped word may stand for, or "". The hint ends with the sentence where.
func didYouMean(mistyped string, words []string, where string) string {
	near := nearest(mistyped, words)
	if near == "" {
		return ""
	}
	return meant(near, where)
}

// meant returns a hint with the word that was probably meant. A flag needs no quotes.
func meant(word, where string) string {
	if !strings.HasPrefix(word, "-") {
		word = fmt.Sprintf("%q", word)
	}
	return strings.TrimSpace("did you mean " + word + "? " + where)
}

// elsewhere has what tmux, screen, docker, systemctl and others call the commands.
var elsewhere = []struct{ command, words string }{
	{"run", "exec execute"},
	{"launch", "new new-session new-window spawn create open daemon"},
	{"send-keys", "send type input write stuff"},
	{"screen", "capture-pane hardcopy snapshot show"},
	{"log", "logs tail cat output"},
	{"wait", "wait-for await"},
	{"attach", "attach-session connect join"},
	{"rename", "rename-session mv"},
	{"resize", "resize-pane resize-window"},
	{"capture", "pipe-pane record"},
	{"replay", "play"},
	{"ps", "list list-sessions sessions jobs top"},
	{"kill", "kill-session kill-window kill-pane end terminate"},
	{"kill --all", "kill-server"},
	{"restart", "respawn-pane reload"},
	{"prune", "clean gc rm remove delete"},
	{"history", "events"},
	{"--version", "version"},
}

// commandElsewhere returns what does here what a command of another tool does, or "".
func commandElsewhere(name string) string {
	for _, e := range elsewhere {
		if slices.Contains(strings.Fields(e.words), name) {
			return e.command
		}
	}
	return ""
}

// meantSession adds a hint to err if a session that it does not find has nearly the name of a running or a new one.
func meantSession(cmd *cli.Command, err error) error {
	name := ledger.SessionOf(err)
	if cmd == nil || name == "" || !errors.Is(err, ledger.ErrNoSession) || isA[*sessionError](err) {
		return err
	}
	path, failed := stateFolder(cmd)
	if failed != nil {
		return err
	}
	dir, failed := ledger.Inspect(path)
	if failed != nil {
		return err
	}
	names, failed := dir.RecentNames()
	if failed != nil {
		return err
	}
	return &sessionError{err: err, name: name, hint: didYouMean(name, names, "devtools ps --all lists the sessions")}
}

// nearest returns the word that a mistyped word may stand for, or "". The mistyped word is the beginning of it, or differs from
// it by few typing errors (not by none): by fewer than half of its letters. Case does not count. If the first letters differ, there is no
// other error.
func nearest(mistyped string, words []string) string {
	best, least := "", mostTypos+1
	typed := strings.ToLower(mistyped)
	for _, word := range words {
		if typed == "" || word == "" || word == mistyped {
			continue
		}
		lower := strings.ToLower(word)
		n := typos(typed, lower)
		begins := len(typed) > 1 && strings.HasPrefix(lower, typed)
		switch {
		case begins:
			n = 0
		case 2*n >= len(typed), lower[0] != typed[0] && (n > 1 || len(typed) < 4):
			continue
		}
		if n < least {
			best, least = word, n
		}
	}
	return best
}

// typos returns the number of typing errors that lead from b to a: a letter too many, a letter too few, another letter,
// or two letters in the wrong order.
func typos(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0:
				rows[i][j] = j
				continue
			case j == 0:
				rows[i][j] = i
				continue
			}
			other := 1
			if a[i-1] == b[j-1] {
				other = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+other)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
