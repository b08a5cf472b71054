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

// A Change is what is to become of an entry, and of its file.
type Change struct {
	Entry  Entry
	File   string // absolute, without links
	State  string
	Reason string // why it was left alone
	Text   string // what it adds to an empty file

	before, after []byte
	info          fs.FileInfo // of the file; nil: there is none
	record        record
	known         map[string]record // of all files
	recordFile    string
}

// A record says what was written into a file, so that exactly this can be taken out again.
type record struct {
	Edits []edit  `json:"edits"` // in their order; each was made in the file that the ones before had left
	Made  string  `json:"made"`  // what was made for it: the file, or the uppermost new folder above it; "" for nothing
	Blank *string `json:"blank"` // content of the file before, if that said nothing
}

// An edit is an insertion into a file.
type edit struct {
	Entry  string `json:"entry"`
	Offset int    `json:"offset"` // where it was made, in bytes
	Text   string `json:"text"`
}

const mostBytes = 16 << 20 // of a file

// Plan finds out what is to be done to write an entry, or to take it out. It writes nothing.
func (p Place) Plan(e Entry, remove bool) Change {
	path := p.Expand(e.File)
	if p.Project != "" {
		path = filepath.Join(p.Project, e.Project)
	}
	c := Change{Entry: e, State: There, File: isolation.Resolve(path), recordFile: p.Record}
	_, c.Text, _ = e.insert(nil)
	if _, err := os.Stat(p.Expand(e.Needs)); e.Needs != "" && err != nil {
		c.State = NoHost
		return c
	}
	var err, wrong error
	c.before, c.info, err = read(c.File)
	if p.Project != "" && !isolation.Within(c.File, p.Project) {
		err = errors.New("a link leads out of the project")
	}
	c.known, wrong = p.records()
	if c.record = c.known[c.File]; c.info == nil {
		c.record = record{}
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
	ours := func(e edit) bool { return e.Entry == c.Entry.Name }
	written := slices.ContainsFunc(c.record.Edits, ours)
	offset, text, err := c.Entry.insert(c.before)
	if remove && !written {
		if text != "" || err != nil {
			c.State = Absent
		}
		return nil // what is there was there before
	}
	base, edits := c.before, slices.Clone(c.record.Edits)
	if remove || err != nil && written { // or an older devtools has written it
		for _, e := range slices.Backward(edits) {
			if ours(e) {
				base = c.Entry.takeOut(base, e)
			}
		}
		edits = slices.DeleteFunc(edits, ours)
		if offset, text, err = c.Entry.insert(base); text == "" && err == nil {
			err = errDiffers
		}
	}
	switch {
	case err != nil:
		return err
	case remove:
		if c.State = Removed; len(edits) == 0 && blank(base) && c.record.Blank != nil {
			base = []byte(*c.record.Blank)
		}
	case text != "":
		base, c.State = slices.Concat(base[:offset], []byte(text), base[offset:]), Added
		edits = append(edits, edit{c.Entry.Name, offset, text})
	}
	c.after, c.record.Edits = base, edits
	return nil
}

// blank reports whether a content says nothing: it is empty, or an empty object.
func blank(content []byte) bool { return strings.Trim(string(content), bom+"{} \t\r\n") == "" }

// takeOut returns a content without an edit: where it was made, or where else its text is once, or else what it means.
func (e *Entry) takeOut(content []byte, was edit) []byte {
	text := []byte(was.Text)
	at := bytes.Index(content, text)
	if was.Offset >= 0 && was.Offset < len(content) && bytes.HasPrefix(content[was.Offset:], text) {
		at = was.Offset
	} else if at != bytes.LastIndex(content, text) {
		at = -1
	}
	if at >= 0 {
		without := slices.Concat(content[:at], content[at+len(text):])
		if _, text, err := e.insert(without); text != "" && err == nil {
			return without
		}
	}
	if e.Format == "json" {
		return e.stripJSON(content, was.Text)
	}
	return content
}

// Write does what is planned. The file is replaced in one step, and keeps its mode.
func (c *Change) Write() error {
	if now, _, err := read(c.File); err != nil || !bytes.Equal(now, c.before) {
		return cmp.Or(err, fmt.Errorf("%s: another program has just changed it", c.File))
	}
	if c.known[c.File] = c.record; len(c.record.Edits) == 0 {
		delete(c.known, c.File)
	}
	text, err := json.Marshal(c.known)
	switch {
	case err != nil:
	case c.record.Made != "" && len(c.after) == 0:
		err = os.Remove(c.File)
		for dir := filepath.Dir(c.File); len(dir) >= len(c.record.Made) && os.Remove(dir) == nil; { // one with other files stays
			dir = filepath.Dir(dir)
		}
	default:
		err = write(c.File, c.after, c.info)
	}
	if err != nil {
		return err
	}
	return write(c.recordFile, text, nil)
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
	if err != nil {
		err = fmt.Errorf("the record of what was written, %s: %w", p.Record, err)
	}
	return known, err
}

// read returns the content of a regular file of this user, who can write to it. The info is nil where there is no file.
func read(path string) ([]byte, fs.FileInfo, error) {
	f, info, err := regular.Open(path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if !regular.Owned(info) || info.Size() > mostBytes {
		return nil, nil, fmt.Errorf("it belongs to another user, or has more than %d bytes", mostBytes)
	}
	content, err := io.ReadAll(io.LimitReader(f, info.Size()))
	return content, info, err
}
