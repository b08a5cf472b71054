package commands

import (
	"cmp"
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

	history     bool // a shell that may read the text puts earlier commands into it, for a ! in it
	interpreter bool // an interpreter that waits for its next line has the keyboard
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
	names := front.names
	switch {
	case r.shell != "" && own:
		r.atPrompt, r.programs = true, []string{r.shell}
		r.history = hasHistory(r.shell, s.Main.PID)
		return r
	case r.shell != "":
		names = append(names, someProgram)
		r.history = hasHistory(r.shell, s.Main.PID)
	default:
		names = append(names, programsIn(s.Command, s.Cwd)...)
	}
	r.history = r.history || slices.ContainsFunc(names, func(name string) bool { return hasHistory(name, 0) })
	r.interpreter, r.programs = front.interpreter, distinct(names)
	return r
}

// hasHistory reports whether a shell puts earlier commands into a line, unless a person has told it not to: bash(1), HISTORY
// EXPANSION; csh(1), history substitutions. sh may be any shell: that of the process pid tells which; 0 is an unknown one.
func hasHistory(shell string, pid int) bool {
	if shell == "sh" && pid != 0 {
		shell = filepath.Base(cmp.Or(proc.Executable(pid), shell))
	}
	return slices.Contains([]string{"bash", "zsh", "csh", "tcsh", "sh", "rbash"}, shell)
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

// A front is what has the keyboard of a session.
type front struct {
	names       []string // of its programs
	interpreter bool     // it is an interpreter that waits for its next line, or a shell without a history of its own
}

// frontOf returns the programs that have the keyboard of a session: those of the foreground process group. own says that the main
// process is one of them, or that the session has none yet.
func frontOf(s ledger.Session) (f front, own bool) {
	info, err := proc.Read(s.Main.PID)
	if err != nil || info.Foreground <= 0 {
		return f, true
	}
	own = info.Foreground == info.Group
	if own && shellProgram(s) != "" {
		return f, true
	}
	f.interpreter = true
	for _, p := range append(proc.Tree(s.Main.PID), info) {
		if p.Group == info.Foreground {
			args := proc.CommandLine(p.PID)
			f.interpreter = f.interpreter && asksForLines(p, args)
			f.names = append(f.names, p.Name)
			if len(args) > 0 { // a program with threads may have given the first one a name
				f.names = append(f.names, strings.TrimPrefix(filepath.Base(args[0]), "-"))
			}
		}
	}
	return f, own
}

// asksForLines reports whether a process is an interpreter that asks for one line after the other, or a shell that does so and puts
// nothing of its history into them.
func asksForLines(p proc.Info, args []string) bool {
	if proc.IsShell(p.Name) {
		return len(args) == 1 && !hasHistory(p.Name, p.PID)
	}
	return guard.Interpreter(args)
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
