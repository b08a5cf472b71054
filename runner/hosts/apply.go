package hosts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"devtools/ledger/regular"
	"devtools/runner/guard/isolation"
)

// What became of an entry, or would become of it.
const (
	Added   = "added"
	There   = "there"
	Removed = "removed"
	Absent  = "absent"
	Left    = "left alone"
	NoHost  = "no host" // the folder of the host is missing
)

// A Place is where entries are written.
type Place struct {
	Project string              // absolute path of a project; "": the home folder
	Record  string              // path of the record of what was written
	Expand  func(string) string // replaces the variables of a path
}

// A Change says what install does with an entry, and in which file.
type Change struct {
	Entry
	File   string `json:"file"`            // path of the file, without links
	State  string `json:"state"`           // what became of the entry: added, there, removed, absent, left alone or no host
	Reason string `json:"reason,omitzero"` // why it was left alone
	Text   string `json:"text"`            // what the entry adds to an empty file

	before, after []byte
	info          fs.FileInfo // of the file; nil: there is none
	record        record
	place         Place
}

// A record says what was written into a file, so that exactly this can be taken out again.
type record struct {
	Edits []edit  `json:"edits"` // in their order, one of each entry
	Made  string  `json:"made"`  // what was made for it: the file, or the uppermost new folder above it; "" for nothing
	Blank *string `json:"blank"` // content of the file before, if that said nothing
}

const mostBytes = 16 << 20 // of a file

// Plan finds out what is to be done to write an entry, or to take it out. It writes nothing.
func (p Place) Plan(e Entry, remove bool) Change {
	path := p.Expand(e.File)
	if p.Project != "" {
		path = filepath.Join(p.Project, e.Project)
	}
	empty, _ := e.insert(nil)
	c := Change{Entry: e, State: There, File: isolation.Resolve(path), Text: empty.Text, place: p}
	if _, err := os.Stat(p.Expand(e.Needs)); e.Needs != "" && err != nil {
		c.State = NoHost
		return c
	}
	var err error
	c.before, c.info, err = read(c.File)
	if p.Project != "" && !isolation.Within(c.File, p.Project) {
		err = errors.New("a link leads out of the project")
	}
	known, wrong := p.records()
	if c.info != nil {
		c.record = known[c.File]
	}
	if err = cmp.Or(err, wrong); err == nil {
		err = c.plan(remove)
	}
	if err != nil {
		c.State, c.Reason = Left, err.Error()
	}
	return c
}

// plan sets what the file is to be, and what is recorded of it.
func (c *Change) plan(remove bool) error {
	if len(c.record.Edits) == 0 {
		if c.record = (record{}); blank(c.before) {
			c.record.Blank = new(string(c.before))
		}
		for path := c.File; c.info == nil; path = filepath.Dir(path) {
			if _, err := os.Stat(path); err == nil {
				break
			}
			c.record.Made = path
		}
	}
	at := slices.IndexFunc(c.record.Edits, func(was edit) bool { return was.Entry == c.Name })
	base := c.before
	made, err := c.insert(base)
	switch {
	case at >= 0 && (remove || made.Text != "" || err != nil): // or an older devtools has written it, or some of it is gone
		base = c.takeOut(base, c.record.Edits[at])
		c.record.Edits = slices.Delete(slices.Clone(c.record.Edits), at, at+1)
		if made, err = c.insert(base); made.Text == "" && err == nil {
			err = errDiffers
		}
	case remove && (made.Text != "" || err != nil):
		c.State = Absent
		return nil
	case remove || made.Text == "":
		return err // what is there was there before
	}
	if err != nil {
		return err
	}
	if c.State = Added; remove {
		if c.State = Removed; len(c.record.Edits) == 0 && blank(base) && c.record.Blank != nil {
			base = []byte(*c.record.Blank)
		}
	} else {
		base = slices.Concat(base[:made.offset], []byte(made.Text), base[made.offset:])
		c.record.Edits = append(c.record.Edits, made)
	}
	c.after = base
	return nil
}

// blank reports whether a content says nothing: it is empty, or an empty object.
func blank(content []byte) bool { return strings.Trim(string(content), "{} \t\r\n") == "" }

// takeOut returns a content without an edit: without its text, if that is there once, or else without what it means.
func (e *Entry) takeOut(content []byte, was edit) []byte {
	if text := []byte(was.Text); bytes.Count(content, text) == 1 {
		without := bytes.Replace(content, text, nil, 1)
		if made, err := e.insert(without); made.Text != "" && err == nil {
			return without
		}
	}
	if e.Format == "json" {
		return e.stripJSON(content, was)
	}
	return content
}

// Write does what is planned. The file is replaced in one step, and keeps its mode. Whatever ends this process, the record knows of all
// that is in a file.
func (c *Change) Write() error {
	if now, _, err := read(c.File); err != nil || !bytes.Equal(now, c.before) {
		return cmp.Or(err, fmt.Errorf("%s: another program has just changed it: repeat the call", c.File))
	}
	known, err := c.place.records() // another call may have written since then
	if err != nil {
		return err
	}
	if known[c.File] = c.record; len(c.record.Edits) == 0 {
		delete(known, c.File)
	}
	text, err := json.Marshal(known)
	if err == nil && c.State == Added {
		err = write(c.place.Record, text, nil)
	}
	if err == nil {
		err = c.replace()
	}
	if err == nil && c.State == Removed {
		err = write(c.place.Record, text, nil)
	}
	return err
}

// replace gives the file its content, or removes it with the folders that were made for it. A folder with other files stays.
func (c *Change) replace() error {
	if c.record.Made == "" || len(c.after) > 0 {
		return write(c.File, c.after, c.info)
	}
	err := os.Remove(c.File)
	for dir := filepath.Dir(c.File); len(dir) >= len(c.record.Made) && os.Remove(dir) == nil; {
		dir = filepath.Dir(dir)
	}
	return err
}

// write gives a file its content in one step. info is that of the file; nil for a new one.
func write(path string, content []byte, info fs.FileInfo) error {
	err, mode := os.MkdirAll(filepath.Dir(path), 0o755), fs.FileMode(0o600)
	if info != nil {
		mode = info.Mode().Perm()
	}
	return cmp.Or(err, regular.Replace(path, content, mode))
}

// records returns what was written, by file.
func (p Place) records() (map[string]record, error) {
	known := map[string]record{}
	text, _, err := read(p.Record)
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &known)
	}
	if err != nil || known == nil { // the file says null
		err = fmt.Errorf("the record of what was written, %s: %w", p.Record, cmp.Or(err, errDiffers))
	}
	return known, err
}

// read returns the content of a regular file of this user, who can write to it. The info is nil where there is no file.
func read(path string) ([]byte, fs.FileInfo, error) {
	f, info, err := regular.Open(path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if !regular.Owned(info) {
		return nil, nil, errors.New("it belongs to another user")
	}
	if info.Size() > mostBytes {
		return nil, nil, fmt.Errorf("it has more than %d bytes", mostBytes)
	}
	content, err := io.ReadAll(io.LimitReader(f, info.Size()))
	return content, info, err
}
