package commands

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"devtools/ledger"
	"devtools/runner/guard"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// Readers are the programs that may read what is typed into a session.
type readers struct {
	shell    string   // the session's shell, if it has the keyboard or may have it next; "" for none
	atPrompt bool     // the shell has the keyboard
	programs []string // names of the programs that may read the text; never empty
}

// recordOf returns the record of the living session name, or what the active set has of it if the record cannot be read. living is
// false if there is no such session.
func recordOf(dir ledger.Dir, name string) (s ledger.Session, living bool) {
	if s, living = dir.Living(name); living {
		if record, err := dir.LoadSession(s.ID); err == nil {
			s = record
		}
	}
	return s, living
}

// moved reports whether the shell of the session may be in another folder when it reads the text: a program has the keyboard now.
func (r readers) moved() bool { return r.shell != "" && !r.atPrompt }

// someProgram is the name of a program that may pass what it reads to a shell.
const someProgram = "another program"

// readersOf returns the programs that may read what is typed into a session now. Which one does is not known for sure: behind a
// program that has the keyboard, the shell of the session may be next.
func readersOf(s ledger.Session) (r readers) {
	r.shell = shellProgram(s)
	front, own := frontOf(s)
	switch {
	case r.shell != "" && own:
		r.atPrompt, r.programs = true, []string{r.shell}
	case r.shell != "":
		r.programs = distinct(append(front, someProgram))
	default:
		r.programs = distinct(append(front, programsIn(s.Command, s.Cwd)...))
	}
	return r
}

// distinct returns names of programs without doubles. A shell among others may only wait for them: it counts as a program that may
// read lines.
func distinct(names []string) []string {
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 2 {
		return names
	}
	for i, name := range names {
		if proc.IsShell(name) {
			names[i] = someProgram
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// programsIn returns the names of the programs that a command starts, as far as its words tell: of env python3 both.
func programsIn(command []string, dir string) (names []string) {
	if len(command) == 0 {
		return []string{someProgram}
	}
	names = []string{filepath.Base(command[0])}
	for _, c := range guard.Commands(guard.Call{Kind: guard.KindRun, Argv: command, Dir: dir, Env: os.Environ()}) {
		if program, _, _ := strings.Cut(c.Text, " "); c.Known && program != "" {
			names = append(names, filepath.Base(strings.Trim(program, "'")))
		}
	}
	return names
}

// frontOf returns the names of the programs that have the keyboard of a session: those of the foreground process group. own says
// that the main process is one of them, or that the session has none yet.
func frontOf(s ledger.Session) (names []string, own bool) {
	info, err := proc.Read(s.Main.PID)
	if err != nil || info.Foreground <= 0 {
		return nil, true
	}
	own = info.Foreground == info.Group
	if own && shellProgram(s) != "" {
		return nil, true
	}
	for _, p := range append(proc.Tree(s.Main.PID), info) {
		if p.Group == info.Foreground {
			names = append(names, p.Name)
			if args := proc.CommandLine(p.PID); len(args) > 0 { // a program with threads may have given the first one a name
				names = append(names, strings.TrimPrefix(filepath.Base(args[0]), "-"))
			}
		}
	}
	return names, own
}

// shellProgram returns the program of the shell that a session runs, or "" if it does not run one.
func shellProgram(s ledger.Session) string {
	if len(s.Command) == 0 {
		return ""
	}
	if kind, _, _ := wire.ShellOf(s.Command); kind == "" {
		return ""
	}
	return filepath.Base(s.Command[wire.ShellIndex(s.Command)])
}

// programOf returns the name of the program that a session runs.
func programOf(s ledger.Session) string {
	if len(s.Command) == 0 {
		return ""
	}
	return filepath.Base(s.Command[0])
}

// presentFolder returns the working directory of a session's main process now, or "" if it is not known.
func presentFolder(s ledger.Session) string {
	if s.Main.PID == 0 { // it is to be started
		return s.Cwd
	}
	return proc.WorkingDirectory(s.Main.PID)
}
