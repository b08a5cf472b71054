package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/prompt"
)

// A Level is how grave the finding of a check is.
type Level string

// The levels, the best first.
const (
	LevelOK   Level = "ok"
	LevelNote Level = "note" // worth knowing; nothing is wrong
	LevelWarn Level = "warn" // something goes less well, or will not go on for long
	LevelFail Level = "fail" // something does not work
)

// A Check is what one look at the machine or at the state folder has found.
type Check struct {
	Name    string `json:"name"`
	Level   Level  `json:"level"`
	Message string `json:"message"`      // one sentence for people
	Fix     string `json:"fix,omitzero"` // what to do, where something can be changed
}

// An Examination is all that doctor finds.
type Examination struct {
	Sight    proc.Sight
	Checks   []Check
	Patterns int   // of prompts, of the workspace
	Prompts  error // what is wrong with them
}

// How long the parts of an examination may take, of which a file system that does not answer would make for ever.
const (
	Briefly     = 3 * time.Second // is also for a look at a path
	examineLong = 10 * time.Second
)

// errNoReply reports a part that has not ended in its time.
var errNoReply = errors.New("no answer")

// Within calls f and returns what it does, or an error of no answer after a time, as a file system that is gone gives none. Then f goes on, and its result is nobody's.
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

// Examine looks at the machine and at the state folder at path, which need not be there, and changes nothing but files of
// its own, which it removes. It ends in a time, whatever does not answer.
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
		{"runtime folder", Briefly, func() found { return one(runtimeChecks()) }},
		{"file system", Briefly, func() found { return one(diskChecks(path)) }},
		{"state folder", examineLong, func() found { return one(folderChecks(path)) }},
		{"prompts", Briefly, func() found {
			dir, err := ledger.Inspect(path)
			if err != nil {
				return found{} // the check of the state folder says so
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
				f.checks = []Check{{part.name, LevelFail, fmt.Sprintf("This could not be looked at: %v.", err), "look for a file system that does not answer, as a server's that is gone: mount lists them"}}
			}
			results[i] <- f
		}()
	}
	var err error
	e.Sight, err = Within(ctx, examineLong, func() (proc.Sight, error) { return proc.Inspection(), nil })
	if errors.Is(err, errNoReply) {
		e.Sight = proc.Sight{Level: proc.SightNone, Sentence: "What the kernel tells of programs could not be tried: " + err.Error() + "."}
	}
	e.Checks = append(e.Checks, sightCheck(e.Sight))
	for _, result := range results {
		f := <-result
		e.Checks = append(e.Checks, f.checks...)
		e.Patterns, e.Prompts = e.Patterns+f.patterns, errors.Join(e.Prompts, f.prompts)
	}
	e.Checks = append(e.Checks, promptsCheck(e.Patterns, e.Prompts))
	return e, ctx.Err()
}

// Failed reports whether a check has found what does not work.
func (e Examination) Failed() bool {
	for _, c := range e.Checks {
		if c.Level == LevelFail {
			return true
		}
	}
	return false
}

func sightCheck(s proc.Sight) Check {
	level := LevelOK
	if s.Level != proc.SightFull {
		level = LevelWarn
	}
	return Check{Name: "input", Level: level, Message: s.Sentence}
}

func promptsCheck(patterns int, err error) Check {
	if err != nil {
		return Check{"prompts", LevelFail, "The workspace's own patterns of prompts are wrong: " + err.Error() + ".", "mend prompts.toml in the state folder, or remove it"}
	}
	return Check{Name: "prompts", Level: LevelOK, Message: fmt.Sprintf("The workspace has %s of its own for prompts.", count(patterns, "pattern"))}
}

// diskChecks looks at the file system of the state folder, or of where it would be made.
func diskChecks(path string) []Check {
	folder := path
	dir, openErr := ledger.Inspect(path)
	if errors.Is(openErr, fs.ErrNotExist) {
		folder = filepath.Dir(path)
	}
	disk, err := ledger.DiskAt(folder)
	if err != nil {
		return []Check{{"file system", LevelFail, fmt.Sprintf("The file system of %s cannot be looked at: %v.", folder, err), "--dir DIR or DEVTOOLS_DIR names another folder"}}
	}
	checks := []Check{spaceCheck("file system", folder, disk)}
	if openErr != nil || disk.ReadOnly {
		return checks // nothing is made where nothing is, or what is not ours, or where nothing can be made
	}
	trial := dir.Try()
	c := Check{Name: "file locks", Level: LevelOK, Message: "Files in the state folder can be locked and replaced in one step."}
	switch {
	case trial.Write != nil:
		c.Level, c.Message = LevelFail, fmt.Sprintf("Nothing can be written to %s: %v.", path, trial.Write)
		c.Fix = "--dir DIR or DEVTOOLS_DIR names a folder on another file system"
	case trial.Lock != nil:
		c.Level, c.Message = LevelFail, fmt.Sprintf("The locks of files do not work in %s (%v), and without them nobody knows whether a session lives.", path, trial.Lock)
		c.Fix = "--dir DIR or DEVTOOLS_DIR names a folder on a local file system"
	case !trial.Swap:
		c.Level = LevelNote
		c.Message = "Files in the state folder can be locked; they cannot change places (renameat2), so that each change makes a new one, which takes a little longer."
	}
	return append(checks, c)
}

// What is little space: a session keeps a hundred times as much at most.
const (
	littleBytes = 64 << 20
	littleFiles = 1000
)

// spaceCheck tells of a file system, where something is to be written.
func spaceCheck(name, folder string, disk ledger.Disk) Check {
	kind := disk.Type
	if kind == "" {
		kind = "a file system of a type unknown"
	}
	c := Check{Name: name, Level: LevelOK, Message: fmt.Sprintf("%s is on %s", folder, kind)}
	if disk.FreeBytes >= 0 {
		c.Message += ", with " + BytesText(disk.FreeBytes) + " free"
	}
	c.Message += "."
	switch {
	case disk.ReadOnly:
		c.Level, c.Message = LevelFail, fmt.Sprintf("%s is on %s, which is mounted read-only: nothing can be started.", folder, kind)
		c.Fix = "--dir DIR or DEVTOOLS_DIR names a folder that can be written to"
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
		c.Message += " Its files are on another machine or system: sessions that are started there are unknown here, and the other way round."
	}
	return c
}
