package hold

import (
	"cmp"
	_ "embed"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"devtools/ledger/regular"
	"devtools/runner/wire"
)

// bashStages is what bash reads at its start so that it tells, at its end, the exit codes of the stages of its line's last pipeline.
// The line itself, the arguments and the open files of the shell stay as they are.
//
//go:embed integration/stages.bash
var bashStages string

// zshStages is the same for zsh.
//
//go:embed integration/stages.zsh
var zshStages string

// changesBashStart reports whether a variable makes bash read another file at its start, or none, or have other options than usual.
// Such a bash is left alone.
func changesBashStart(pair string) bool {
	name, _, _ := strings.Cut(pair, "=")
	return slices.Contains([]string{"BASH_ENV", "BASHOPTS", "SHELLOPTS", "POSIXLY_CORRECT"}, name)
}

// systemChangesZshStart reports whether the system's own file, which zsh reads first, may say from which folder zsh reads the next one,
// or that it reads no more. Such a zsh is left alone.
func systemChangesZshStart() bool {
	says := regexp.MustCompile(`(?mi)^[ \t]*([^# \t\n].*)?(zdotdir|rcs)`) // in a line that is no comment
	return slices.ContainsFunc([]string{"/etc/zshenv", "/etc/zsh/zshenv"}, func(path string) bool {
		text, _ := os.ReadFile(path)
		return says.Match(text)
	})
}

// stagesFile returns the path of a file about the stages. The shell writes their exit codes into ".stages". At the level high, it
// reaches no folder of ours but its temporary one.
func (c *core) stagesFile(name string) string {
	return filepath.Join(cmp.Or(c.session.TempFolder, filepath.Dir(c.dir.ShellFolder(c.session.ID))), name)
}

// askStages has the shell of a line tell the exit codes of the stages, if nothing is in the way.
func (c *core) askStages() {
	if c.spec.Stages == 0 || c.spec.NoFolder {
		return
	}
	s := &integration{kind: wire.ShellKinds[filepath.Base(c.spec.Command[0])]}
	file := c.stagesFile(".zshenv") // the name that zsh looks for
	text, variable, value := zshStages, "ZDOTDIR", c.stagesFile("")
	if s.kind == wire.ShellBash {
		if text, variable, value = bashStages, "BASH_ENV", file; slices.ContainsFunc(c.spec.Env, changesBashStart) {
			return
		}
	} else if systemChangesZshStart() {
		return
	}
	before := slices.Clone(c.spec.Env)
	restore, _ := s.replaceVariable(&c.spec, nil, variable, value)
	quoted := strings.ReplaceAll(s.quote(c.stagesFile(".stages")), "'", `'\''`) // it is inside of quotes
	if writeNew(file, strings.NewReplacer("@RESTORE@", restore, "@FILE@", quoted).Replace(text)) != nil {
		c.spec.Env = before // the command runs all the same
	}
}

// readStages records the exit codes of the stages. The program may have written the file: what does not fit the line and the exit
// code says nothing.
func (c *core) readStages() {
	if c.spec.Stages == 0 || c.spec.NoFolder {
		return
	}
	if file, _, err := regular.Open(c.stagesFile(".stages"), os.O_RDONLY); err == nil {
		text, _ := io.ReadAll(io.LimitReader(file, int64(len("255,")*c.spec.Stages)+1))
		_ = file.Close()
		codes := exitCodes(strings.TrimSuffix(string(text), ","))
		if n := c.spec.Stages; len(codes) == n && slices.Max(codes) <= 255 && codes[n-1] == *c.session.ExitCode && c.session.Signal == "" {
			c.session.Pipeline = codes
		}
	}
	_, _ = os.Remove(c.stagesFile(".stages")), os.Remove(c.stagesFile(".zshenv"))
}
