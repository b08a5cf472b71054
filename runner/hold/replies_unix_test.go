//go:build unix

package hold_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/runnertest"
)

// queries are what programs ask a terminal, as printf(1) takes it: a colour, what it is, the cursor, whether it works, a
// mode, its version, a setting.
var queries = []string{`\033]11;?\a`, `\033[c`, `\033[6n`, `\033[5n`, `\033[?2026$p`, `\033[>q`, `\033P$qm\033\134`}

// askers are commands that ask the terminal and end without reading its reply. The third asks in raw mode, and lives until
// the reply is typed.
var askers = []string{
	`printf '%s'`,
	`/usr/bin/printf '%s%[1]s'`,
	`stty raw; printf '%s'; sleep 0.15; stty cooked`,
}

// A command that asks the terminal and ends without reading the reply leaves nothing in the shell's line.
func TestStressQueries(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		for i := range runnertest.Rounds(2*len(queries)*len(askers), 210) {
			asker := fmt.Sprintf(askers[i%len(askers)], queries[i/len(askers)%len(queries)])
			if i%2 == 0 {
				asker = "true; " + asker
			}
			if _, _, err := tryRunIn(t, c, asker); err != nil {
				t.Fatalf("%s: %v\n%s", asker, err, transcriptOf(c))
			}
			if got, _, err := tryRunIn(t, c, fmt.Sprintf("echo next %d", i)); err != nil || got != fmt.Sprintf("next %d\r\n", i) {
				t.Fatalf("after %s: printed %q, %v\n%s", asker, got, err, transcriptOf(c))
			}
		}
	})
}

// leavers are start files of shells in which each prompt leaves replies that nobody reads, after the mark of the end of
// the command before.
var leavers = map[string]string{
	"bash":     `leave() { stty raw; printf '\e[>q\e]11;?\a\e[?2026$p'; sleep 0.15; stty cooked; }; PROMPT_COMMAND=leave`,
	"bash -vi": `set -o vi; leave() { stty raw; printf '\e[c\e[?2026$p'; sleep 0.15; stty cooked; }; PROMPT_COMMAND=leave`,
	"zsh":      `leave() { stty raw; printf '\e[>q\e]11;?\e\\\e[?2026$p'; sleep 0.15; stty cooked }; precmd() { leave }`,
	"zsh -vi":  `bindkey -v; leave() { stty raw; printf '\e[c\e[?2026$p'; sleep 0.15; stty cooked }; precmd() { leave }`,
}

// Replies that have come into the line are cleared, also where they have begun a search. A line that a person has begun
// stays.
func TestRunInClearsReplies(t *testing.T) {
	for name, rc := range leavers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shell, _, _ := strings.Cut(name, " ")
			c := shellSession(t, rc, shell)
			out := runnertest.NewCollector()
			go func() { _, _, _ = c.Follow(runnertest.WithPatience(t), 0, out.Sink()) }()
			for i := range 5 {
				wantRunIn(t, c, fmt.Sprintf("echo next %d", i), fmt.Sprintf("next %d\n", i), 0)
			}
			wantRunIn(t, c, "echo $?", "0\n", 0)
			if strings.Contains(name, "vi") {
				return // replies are commands of vi there
			}
			runIn(t, c, "leave() { :; }")
			typeIn(t, c, "echo half")
			awaitBusy(t, c, "half typed")
			typeIn(t, c, "way\r")
			out.Await(t, "halfway\r\n")
		})
	}
}

// A command gets the reply that it reads, also where another process of it has asked.
func TestRunInReadsReplies(t *testing.T) {
	for _, shell := range []string{"bash", "zsh"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			c := shellSession(t, "", shell)
			for _, ask := range []string{`printf '\033[5n'`, `/usr/bin/printf '\033[5n'`, `/usr/bin/printf '\033[5n'; sleep 0.2`, `(printf '\033[5n')`} {
				got, _ := runIn(t, c, ask+`; IFS= read -r -s -d n -t 5 reply; printf '<%s>' "${reply#?}"`)
				if !strings.HasSuffix(got, "<[0>") {
					t.Errorf("%s: printed %q", ask, got)
				}
			}
			// In raw mode, with a reader that never sleeps in a read.
			got, _ := runIn(t, c, `stty raw -echo min 0 time 0; printf '\033[5n'; i=0; while [ $i -lt 100 ]; do r=$(dd bs=10 count=1 2>/dev/null); [ "$r" ] && break; sleep 0.02; i=$((i+1)); done; stty sane; printf '<%s>' "${r#?}"`)
			if !strings.HasSuffix(got, "<[0n>") {
				t.Errorf("polling: printed %q", got)
			}
			wantRunIn(t, c, "echo next", "next\n", 0)
		})
	}
}

// A process in the background asks the terminal while the shell is at its prompt, just before that, or while the next command
// is handed to the shell. The reply keeps no command out.
func TestStressLateQueries(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		for i := range runnertest.Rounds(3*len(queries), 210) {
			query := queries[i%len(queries)]
			asker := fmt.Sprintf(`sh -c "(sleep 0.0%02d; printf '%s') &"`, i*7%60, query)
			if _, _, err := tryRunIn(t, c, asker); err != nil {
				t.Fatalf("%s: %v\n%s", asker, err, transcriptOf(c))
			}
			time.Sleep(time.Duration(i%3) * 30 * time.Millisecond) // the moment is the subject here
			if got, _, err := tryRunIn(t, c, "echo next"); err != nil || !strings.Contains(got, "next\r\n") {
				t.Fatalf("after %s: printed %q, %v\n%s", asker, got, err, transcriptOf(c))
			}
		}
	})
}

// The reply to a process in the background does not make a line that a person has begun one that may be cleared.
func TestLateQueriesKeepLine(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			c := shellSession(t, "", shell)
			out := runnertest.NewCollector()
			go func() { _, _, _ = c.Follow(runnertest.WithPatience(t), 0, out.Sink()) }()
			runIn(t, c, "true")
			typeIn(t, c, "sleep 0.3; sh -c \"(sleep 0.3; printf '\\033[c') &\"\recho 'half")
			out.Await(t, "\x1b[c") // the line was typed ahead of the prompt, and is there now
			awaitBusy(t, c, "half typed")
			typeIn(t, c, "'\r")
			out.Await(t, in(shell, "half[?62;6;22c\r\n", "half62;6;22c\r\n"))
		})
	}
}

// A line that waits to be read does not get a reply into it.
func TestRepliesAreNoText(t *testing.T) {
	eachShell(t, func(t *testing.T, shell string, c *runner.Client) {
		wantRunIn(t, c, "true", "", 0)
		out := runnertest.NewCollector()
		done := make(chan error, 1)
		go func() {
			_, err := c.RunIn(runnertest.WithPatience(t), `sh -c "printf '\033[c\033]11;?\007name? '; read name; echo got \$name."`, runner.RunInOptions{Sink: out.Sink()})
			done <- err
		}()
		out.Await(t, "name? ")
		typeIn(t, c, "me\n")
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := out.Text(transcript.Output); !strings.Contains(got, "got me.\r\n") {
			t.Errorf("printed %q", got)
		}
		wantRunIn(t, c, "echo next", "next\n", 0)
	})
}
