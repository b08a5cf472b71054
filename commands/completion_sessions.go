package commands

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"devtools/completions"
	"devtools/ledger"
)

// onlyRunning lists the commands that can do nothing about a session that has ended.
var onlyRunning = []string{"ask", "attach", "kill", "label", "rename", "resize", "restart", "send-keys"}

// mostEnded is how many ended sessions are offered: a person looks through no longer list. To read the record of one takes 50 µs.
const mostEnded = 40

// openState opens the state folder of the command line. It repairs nothing.
func (c *cursor) openState() (dir ledger.Dir, err error) {
	path := inHome(c.values["dir"])
	if path == "" {
		path = os.Getenv("DEVTOOLS_DIR")
	}
	if path, err = stateFolderAt(path); err != nil {
		return dir, err
	}
	return ledger.Inspect(path)
}

// running returns the state folder and its sessions that run, newest first.
func (c *cursor) running() (ledger.Dir, []ledger.Session) {
	dir, err := c.openState()
	if err != nil {
		return dir, nil
	}
	active, err := dir.Active()
	if err != nil {
		return dir, nil
	}
	slices.Reverse(active.Sessions)
	return dir, active.Sessions
}

// completeSessions completes the name of a session: first those that run, then the newest of those that have ended, if the command can do
// something about them. The beginning of an id is completed, too.
func completeSessions(c *cursor, a *completions.Answer) {
	dir, list := c.running()
	if runs := c.flag != nil && c.flag.Names()[0] == "in" || slices.Contains(onlyRunning, c.cmd.Name); !runs {
		list = append(list, dir.Ended(mostEnded)...)
	}
	offered := map[string]bool{}
	for _, name := range c.args {
		offered[name] = true
	}
	for _, s := range list {
		if name := s.Name; !offered[name] {
			offered[name] = true
			a.Words = append(a.Words, completions.Word{Text: name, About: aboutSession(s)})
		}
	}
	if c.value() == "" || slices.ContainsFunc(a.Words, func(w completions.Word) bool { return strings.HasPrefix(w.Text, c.value()) }) {
		return
	}
	for _, s := range list {
		a.Words = append(a.Words, completions.Word{Text: s.ID, About: s.Name + ": " + aboutSession(s)})
	}
}

// aboutSession returns the state of a session and its command.
func aboutSession(s ledger.Session) string {
	state := s.Status
	switch {
	case s.Signal != "":
		state += " by " + s.Signal
	case s.ExitCode != nil && *s.ExitCode != 0:
		state += fmt.Sprintf(", exit code %d", *s.ExitCode)
	}
	return state + ": " + completions.Cut(strings.Join(s.Command, " "), mostAbout)
}

// mostAbout is how many characters of a command line are told: the name stands before it on the screen.
const mostAbout = 60

// completeProcesses completes the pid of a process of a running session.
func completeProcesses(c *cursor, a *completions.Answer) {
	if strings.Trim(c.value(), "0123456789") != "" {
		return
	}
	dir, list := c.running()
	for _, s := range list {
		if s.Main.PID != 0 && !s.Ended() {
			a.Words = append(a.Words, completions.Word{Text: strconv.Itoa(s.Main.PID), About: s.Name + ": " + completions.Cut(strings.Join(s.Command, " "), mostAbout)})
		}
		others, _ := dir.Journal(s.ID) // without it, the main process alone
		for _, p := range others {
			if p.PID != s.Main.PID {
				a.Words = append(a.Words, completions.Word{Text: strconv.Itoa(p.PID), About: s.Name + ": " + completions.Cut(p.CommandLine, mostAbout)})
			}
		}
	}
}

// completeLabelPairs completes a label that a running session has.
func completeLabelPairs(c *cursor, a *completions.Answer) {
	_, list := c.running()
	for _, s := range list {
		for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
			pair := completions.Word{Text: key + "=" + s.Labels[key], About: s.Name}
			if !slices.ContainsFunc(a.Words, func(w completions.Word) bool { return w.Text == pair.Text }) {
				a.Words = append(a.Words, pair)
			}
		}
	}
}

// completeLabelKeys completes the key of a label of the session that is the first argument.
func completeLabelKeys(c *cursor, a *completions.Answer) {
	name := c.values["t"]
	if name == "" && len(c.args) > 0 {
		name = c.args[0]
	}
	_, list := c.running()
	for _, s := range list {
		if s.Name != name && s.ID != name {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
			a.Words = append(a.Words, completions.Word{Text: key, About: s.Labels[key]})
		}
	}
}
