package hold

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"devtools/runner/wire"
)

// The scripts that a shell reads when it starts. With them the shell can tell when its prompt is there and how
// a command ended. Each @NAME@ in them is filled in for each session.
var (
	//go:embed integration/bash.sh
	bashIntegration string
	//go:embed integration/zsh.zsh
	zshIntegration string
	//go:embed integration/fish.fish
	fishIntegration string
	//go:embed integration/posix.sh
	posixIntegration string
)

// An integration makes a shell report what it does.
type integration struct {
	kind   string
	aid    string // secret that identifies its marks
	folder string // folder of its files, by a path that serves also after a folder above it was renamed

	command handedFile // the command to run
	given   handedFile // what is set for the command alone
	gives   bool       // given has something

	history *historyPipe // nil if the shell writes nothing of its history
	kept    *string      // file in which it keeps its history, "" for none; nil: the user's
}

// integrate makes the shell of the spec an integrated one, with files in folder, whose other path is lasting. It returns nil if the spec
// has no such shell. kept is the file in which it keeps its history, as of keepHistory.
func integrate(spec *wire.Spec, folder, lasting string, kept *string) (*integration, error) {
	kind, login, bare := wire.ShellOf(spec.Command)
	if !spec.Shell || spec.NoTerminal || kind == "" {
		return nil, nil
	}
	s := &integration{kind: kind, aid: secret(), folder: lasting, kept: kept}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	if err := errors.Join(s.makeHanded(spec), s.command.write([]byte(nothing))); err != nil {
		return nil, err
	}
	at := wire.ShellIndex(spec.Command)
	before, options := spec.Command[:at+1:at+1], slices.Clone(spec.Command[at+1:])
	name, restore := "init", ""
	switch kind {
	case wire.ShellBash:
		before = append(before, "--rcfile", filepath.Join(folder, name))
		options = slices.DeleteFunc(options, func(arg string) bool { return arg != "-i" }) // our script follows the others
	case wire.ShellZsh:
		name = ".zshenv"
		restore, before = s.replaceVariable(spec, before, "ZDOTDIR", folder)
		options = withoutSkipping(options)
	case wire.ShellFish:
		options = append(options, "--init-command", "source "+s.quote(filepath.Join(folder, name)))
	case wire.ShellPOSIX:
		restore, before = s.replaceVariable(spec, before, "ENV", filepath.Join(folder, name))
	}
	spec.Command = append(before, options...)
	s.openHistory(spec)
	text := strings.Replace(s.script(), "@RESTORE@", restore, 1)
	text = strings.NewReplacer("@LOGIN@", fmt.Sprint(login), "@BARE@", fmt.Sprint(bare)).Replace(text)
	return s, writeNew(filepath.Join(folder, name), text)
}

// openHistory lets bash write of its history, but not in a session without a record. Where that fails, only the lines that are typed stay
// unknown.
func (s *integration) openHistory(spec *wire.Spec) {
	if s.kind == wire.ShellBash && s.history == nil && !spec.NoRecord {
		s.history, _ = newHistoryPipe()
	}
}

// script returns the script of the shell's kind. What depends on how the shell was started is not filled in yet.
func (s *integration) script() string {
	text := posixIntegration
	switch s.kind {
	case wire.ShellBash:
		text = bashIntegration
	case wire.ShellZsh:
		text = zshIntegration
	case wire.ShellFish:
		text = fishIntegration
	}
	history := ""
	if s.history != nil {
		history = s.history.path
	}
	return strings.NewReplacer("@AID@", s.aid, "@COMMAND@", s.quote(s.command.path), "@GIVEN@", s.quote(s.given.path), "@HISTORY@", s.quote(history), "@HISTFILE@", s.keepHistory()).Replace(text)
}

// keepHistory returns the line by which the shell keeps its history where it has to, whatever the user's files say.
func (s *integration) keepHistory() string {
	switch {
	case s.kept == nil:
		return ""
	case s.kind == wire.ShellFish:
		return "set -gx fish_history ''"
	case s.kind == wire.ShellZsh:
		return "[[ ${(t)HISTFILE} == *readonly* ]] || HISTFILE=" + s.quote(*s.kept)
	}
	return "command export HISTFILE=" + s.quote(*s.kept) + " 2>/dev/null" // it may be read-only
}

// scriptForRunning returns the part of the script that a shell needs whose own files are read.
func (s *integration) scriptForRunning() string {
	text := s.script()
	if _, rest, ok := strings.Cut(text, "\n# The user's files are read.\n"); ok {
		return rest
	}
	return text
}

// secret returns a text that a program cannot guess. A program that can read the transcript or the files of
// the shell does know it.
func secret() string {
	var chance [16]byte
	f, err := os.Open("/dev/urandom") // crypto/rand would make every call of devtools cost more
	if err == nil {
		_, err = io.ReadFull(f, chance[:])
		_ = f.Close()
	}
	if err != nil {
		return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
	}
	return fmt.Sprintf("%x", chance)
}

// withoutSkipping returns the options of zsh without -f, with which zsh would skip our script. The script does what -f says.
func withoutSkipping(options []string) (rest []string) {
	for _, option := range options {
		if option[1] != '-' {
			option = strings.ReplaceAll(option, "f", "")
		}
		if option != "-" && option != "--no-rcs" {
			rest = append(rest, option)
		}
	}
	return rest
}

// replaceVariable sets a variable in the environment of the spec, and for a shell that env(1) starts. before are the words of
// the command up to the shell. restore gives the variable its old value back.
func (s *integration) replaceVariable(spec *wire.Spec, before []string, name, value string) (restore string, words []string) {
	restore = "unset " + name
	note := func(pair string) bool {
		old, ok := strings.CutPrefix(pair, name+"=")
		if ok {
			restore = "export " + name + "=" + s.quote(old)
		}
		return ok
	}
	spec.Env = slices.DeleteFunc(spec.Env, note)
	spec.Env = append(spec.Env, name+"="+value)
	if last := len(before) - 1; last > 0 {
		if slices.Contains(before, "-i") || slices.Contains(before, "-") {
			restore = "unset " + name
		}
		for _, pair := range before[:last] {
			note(pair)
		}
		before = slices.Insert(before, last, name+"="+value)
	}
	return restore, before
}

// makeHanded makes the files from which the shell reads commands.
func (s *integration) makeHanded(spec *wire.Spec) (err error) {
	if s.command, err = newHandedFile(spec, s.folder, "command"); err == nil {
		s.given, err = newHandedFile(spec, s.folder, "given")
	}
	return err
}

// quote returns text as one word of the shell.
func (s *integration) quote(text string) string { return wire.QuoteFor(s.kind, text) }

// loadKey is the key that makes an integrated shell read its command file: a function key that no terminal
// has.
const loadKey = "\x1b[57501~"

// endLine makes a POSIX shell tell that a command is over, and bring back what was set for the command alone.
const endLine = "{ __devtools_end; } 2>/dev/null\r"

// maxShown is how many bytes of a command a shell without a line editor shows.
const maxShown = 1000

// leaveKey is the key that makes zsh leave a search, which replies to queries begin in its vi mode.
const leaveKey = "\x1b[57504~"

// clearing returns the keys after which a shell can take a command, whatever replies to queries have made of its line.
func (s *integration) clearing() string {
	switch s.kind {
	case wire.ShellBash:
		return "\a" // readline's search reads keys by itself, and C-g ends it
	case wire.ShellZsh:
		return leaveKey
	}
	return ""
}

// hand puts a command where the shell finds it. It returns the keys that make the shell take the command. With replies,
// the line of the shell may contain replies to queries, which the command then replaces.
func (s *integration) hand(run int, req *wire.Request, replies bool) (keys string, err error) {
	given, how := s.setsFor(req), ""
	if replies {
		keys, how = s.clearing(), "replace"
	}
	if s.kind == wire.ShellPOSIX {
		keys += " . " + s.quote(s.command.path) + "; " + endLine
		return keys, s.command.write([]byte(s.posixFile(run, string(req.Data), given)))
	}
	if given != "" {
		how, s.gives = how+" given", true
		if err := s.given.write([]byte(given)); err != nil {
			return "", err
		}
	}
	return keys + loadKey, s.command.write(fmt.Appendf(nil, "%d\n%s\n%s\x00", run, how, req.Data))
}

// posixFile returns what a POSIX shell sources to run the command.
func (s *integration) posixFile(run int, text, given string) string {
	shown := text
	if len(shown) > maxShown {
		shown = strings.ToValidUTF8(shown[:maxShown], "") + "…"
	}
	if given != "" {
		given = fmt.Sprintf("{ %s; } 2>/dev/null || { __devtools_reject %d; return \"$__devtools_code\"; }\n", given, run)
	}
	return fmt.Sprintf("__devtools_code=$? __devtools_text=%s\ncase $__devtools_latest in %d) return \"$__devtools_code\" ;; esac\n__devtools_latest=%d\n%s{ __devtools_start %d; } 2>/dev/null\n%s\n",
		s.quote("> "+strings.ReplaceAll(shown, "\n", "\n> ")), run, run, given, run, text)
}

// setsFor returns the line that sets what the request gives to the command alone. It is empty if that is nothing.
func (s *integration) setsFor(req *wire.Request) string {
	var list []string
	for _, pair := range req.Env {
		name, value, _ := strings.Cut(pair, "=")
		list = append(list, "__devtools_set "+s.quote(name)+" "+s.quote(value))
	}
	if req.Cwd != "" {
		list = append(list, "__devtools_enter "+s.quote(req.Cwd))
	}
	return strings.Join(list, " && ")
}

// forget removes what was handed to the shell.
func (s *integration) forget() {
	s.command.forget()
	s.forgetGiven()
}

// forgetGiven removes what is set for the command alone, which may be secret, as soon as the shell has read it.
func (s *integration) forgetGiven() {
	if s.gives {
		s.gives = false
		s.given.forget()
	}
}
