// Package doctor finds out why a session or a machine is as it is. Explain looks at one session, and Examine at the
// machine and the state folder. The package changes nothing that it finds.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"devtools/ledger"
	"devtools/runner/blocked"
	"devtools/runner/guard/isolation"
	"devtools/runner/proc"
	"devtools/runner/prompt"
	"devtools/runner/sandbox"
)

// A Level says how serious the finding of a check is.
type Level string

// The levels, from the best down.
const (
	LevelOK   Level = "ok"
	LevelNote Level = "note" // worth knowing; nothing is wrong
	LevelWarn Level = "warn" // something works less well, or will not work for long
	LevelFail Level = "fail" // something does not work
)

// A Check is one finding about the machine or the state folder.
type Check struct {
	Name    string `json:"name"`         // what was examined
	Level   Level  `json:"level"`        // how serious the finding is
	Message string `json:"message"`      // the finding in words, for people
	Fix     string `json:"fix,omitzero"` // what to do, if something can be changed
}

// An Examination has everything that doctor finds.
type Examination struct {
	Visibility blocked.Visibility
	Checks     []Check
	Patterns   int   // number of the workspace's own prompt patterns
	Prompts    error // error in these patterns
}

// The time limits of the parts of an examination. Without them, a file system that does not answer would block it for ever.
const (
	Briefly     = 3 * time.Second // also the limit for a look at a path
	examineLong = 10 * time.Second
)

// errNoReply reports a part that has not ended in time.
var errNoReply = errors.New("no answer")

// Within calls f and returns its result. If f takes longer than most, Within returns the error of no answer, as for a file
// system that is gone. Then f goes on, but its result is dropped.
func Within[T any](ctx context.Context, most time.Duration, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := f()
		done <- outcome{value, err}
	}()
	over := time.NewTimer(most)
	defer over.Stop()
	var none T
	select {
	case o := <-done:
		return o.value, o.err
	case <-over.C:
		return none, fmt.Errorf("%w within %v", errNoReply, most)
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// Examine looks at the machine and at the state folder at path, which need not exist. It changes nothing but its own
// files, which it removes. It has a time limit, whatever does not answer.
func Examine(ctx context.Context, path string) (Examination, error) {
	var e Examination
	type found struct {
		checks   []Check
		patterns int
		prompts  error
	}
	one := func(checks []Check) found { return found{checks: checks} }
	parts := []struct {
		name string
		most time.Duration
		look func() found
	}{
		{"kernel", examineLong, func() found { return one(machineChecks(proc.Survey())) }},
		{"isolation", Briefly, func() found { return one(isolationChecks(isolation.Probe())) }},
		{"sandbox", Briefly, func() found { return one(sandboxChecks(sandbox.Around())) }},
		{"runtime folder", Briefly, func() found { return one(runtimeChecks(path, sandbox.Around())) }},
		{"sessions", Briefly, func() found { return one(removedChecks(ctx)) }},
		{"file system", Briefly, func() found { return one(diskChecks(path, sandbox.Around())) }},
		{"state folder", examineLong, func() found { return one(folderChecks(path)) }},
		{"policy", Briefly, func() found { return one(policyChecks(path)) }},
		{"prompts", Briefly, func() found {
			dir, err := ledger.Inspect(path)
			if err != nil {
				return found{} // the check of the state folder reports the error
			}
			own, err := prompt.Own(dir.Prompts())
			return found{patterns: len(own), prompts: err}
		}},
	}
	results := make([]chan found, len(parts))
	for i, part := range parts {
		results[i] = make(chan found, 1)
		go func() {
			f, err := Within(ctx, part.most, func() (found, error) { return part.look(), nil })
			if err != nil {
				f.checks = []Check{{part.name, LevelFail, fmt.Sprintf("This check did not finish: %v.", err), "look for a file system that does not answer, such as that of a server that is gone: mount lists them"}}
			}
			results[i] <- f
		}()
	}
	var err error
	e.Visibility, err = Within(ctx, examineLong, func() (blocked.Visibility, error) { return blocked.CheckVisibility(), nil })
	if errors.Is(err, errNoReply) {
		e.Visibility = blocked.Visibility{Level: blocked.VisibilityNone, Sentence: "The kernel's information about programs could not be tested: " + err.Error() + "."}
	}
	e.Checks = append(e.Checks, visibilityCheck(e.Visibility))
	for _, result := range results {
		f := <-result
		e.Checks = append(e.Checks, f.checks...)
		e.Patterns, e.Prompts = e.Patterns+f.patterns, errors.Join(e.Prompts, f.prompts)
	}
	e.Checks = append(e.Checks, promptsCheck(e.Patterns, e.Prompts))
	return e, ctx.Err()
}

// Failed reports whether a check has found something that does not work.
func (e Examination) Failed() bool {
	for _, c := range e.Checks {
		if c.Level == LevelFail {
			return true
		}
	}
	return false
}

func visibilityCheck(s blocked.Visibility) Check {
	level := LevelOK
	if s.Level != blocked.VisibilityFull {
		level = LevelWarn
	}
	return Check{Name: "input", Level: level, Message: s.Sentence}
}

func promptsCheck(patterns int, err error) Check {
	if err != nil {
		return Check{"prompts", LevelFail, "The workspace's own patterns of prompts are wrong: " + err.Error() + ".", "correct prompts.toml in the state folder, or remove it"}
	}
	return Check{Name: "prompts", Level: LevelOK, Message: fmt.Sprintf("The workspace has %s of its own for prompts.", count(patterns, "pattern"))}
}

// diskChecks looks at the file system of the state folder, or of the place where it would be made.
func diskChecks(path string, around sandbox.Sandbox) []Check {
	folder := path
	dir, openErr := ledger.Inspect(path)
	if errors.Is(openErr, fs.ErrNotExist) {
		folder = filepath.Dir(path)
	}
	disk, err := ledger.DiskAt(folder)
	if err != nil {
		return []Check{{"file system", LevelFail, fmt.Sprintf("The file system of %s cannot be examined: %v.", folder, err), "use another folder: --dir DIR or DEVTOOLS_DIR"}}
	}
	checks := []Check{spaceCheck("file system", folder, disk)}
	if errors.Is(openErr, fs.ErrNotExist) {
		dir = ledger.At(folder) // where it would be made
	} else if openErr != nil {
		return checks // the check of the state folder says so
	}
	trial := dir.Try()
	if trial.Write != nil {
		c := Check{"state folder", LevelFail, fmt.Sprintf("Nothing can be written to %s: %v.", folder, trial.Write), "use a folder that can be written, --dir DIR or DEVTOOLS_DIR, or have " + the(around) + " allow writing there"}
		if kept := keptIn(path); kept != path {
			c.Level, c.Message, c.Fix = LevelNote, c.Message+" Unless you name a folder, the sessions here are kept in "+kept+".", ""
		} else if refused(trial.Write) {
			c.Message += " Unless you name a folder, devtools run works from memory, and no session can be launched."
		}
		return append(checks, c)
	}
	c := Check{Name: "file locks", Level: LevelOK, Message: "Files in the state folder can be locked and replaced in one step."}
	switch {
	case trial.Lock != nil:
		c.Level, c.Message = LevelFail, fmt.Sprintf("File locks do not work in %s (%v), and without them devtools cannot tell whether a session is running.", path, trial.Lock)
		c.Fix = "use a folder on a local file system: --dir DIR or DEVTOOLS_DIR"
	case !trial.Swap:
		c.Level = LevelNote
		c.Message = "Files in the state folder can be locked. They cannot be exchanged in one step (renameat2), so each change creates a new file, which is a little slower."
	}
	if openErr != nil {
		checks = append(checks, Check{"state folder", LevelOK, fmt.Sprintf("There is no %s yet: it is made with the first session.", path), ""})
	}
	return append(checks, c)
}

// keptIn returns the state folder at path, or the one that takes its place, where that alone can be made.
func keptIn(path string) string {
	if other := ledger.InStateHome(path); other != "" && refused(ledger.At(nearest(path)).Try().Write) && ledger.At(nearest(other)).Try().Write == nil {
		return other
	}
	return path
}

// refused reports whether another place takes that of a state folder because of err.
func refused(err error) bool { return ledger.Unwritable(fmt.Errorf("%w: %w", ledger.ErrNotMade, err)) }

// nearest returns the first of path and the folders above it that is there.
func nearest(path string) string {
	if _, err := os.Lstat(path); err == nil || path == filepath.Dir(path) {
		return path
	}
	return nearest(filepath.Dir(path))
}

// The limits below which space counts as little. A session keeps at most a hundred times as much.
const (
	littleBytes = 64 << 20
	littleFiles = 1000
)

// spaceCheck reports on a file system to which devtools will write.
func spaceCheck(name, folder string, disk ledger.Disk) Check {
	kind := disk.Type
	if kind == "" {
		kind = "a file system of unknown type"
	}
	c := Check{Name: name, Level: LevelOK, Message: fmt.Sprintf("%s is on %s", folder, kind)}
	if disk.FreeBytes >= 0 {
		c.Message += ", with " + BytesText(disk.FreeBytes) + " free"
	}
	c.Message += "."
	switch {
	case disk.ReadOnly: // the check of the state folder says so
	case disk.FreeBytes == 0 || disk.FreeFiles == 0:
		what := "bytes"
		if disk.FreeBytes != 0 {
			what = "files (inodes)"
		}
		c.Level, c.Message = LevelFail, fmt.Sprintf("%s is on %s, which is full: no %s are left, and output cannot be stored.", folder, kind, what)
		c.Fix = "free some space there"
	case disk.FreeBytes > 0 && disk.FreeBytes < littleBytes:
		c.Level, c.Fix = LevelWarn, "free some space there: output that cannot be stored is lost"
	case disk.FreeFiles > 0 && disk.FreeFiles < littleFiles:
		c.Level, c.Message = LevelWarn, fmt.Sprintf("%s is on %s, which has room for only %s more.", folder, kind, count(disk.FreeFiles, "file"))
		c.Fix = "remove files there"
	case disk.Remote:
		c.Level = LevelNote
		c.Message += " Its files are on another machine or system. Sessions that start there are unknown here, and sessions that start here are unknown there."
	}
	return c
}
