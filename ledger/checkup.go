package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"devtools/ledger/regular"
)

// A Checkup is the result of an examination of a state folder. Paths are relative to the folder.
type Checkup struct {
	SetAside []string // files that an earlier call found damaged
	Damaged  []string // damaged files, each with the reason
	Homeless []string // ids of session folders without a record and without a holder
	Unlisted []string // ids of sessions that have a holder but no record
	Litter   []string // remains of writes that a crash interrupted
	Unlocked bool     // the lock is not a regular file; taking the lock may block for ever

	EventLines    int   // lines of the log with an event
	DamagedEvents int   // lines of the log without a valid event
	TornEvent     bool  // the last line of the log is cut short; the next write mends it
	EventBytes    int64 // size of the log, in bytes

	Sessions      int   // number of records
	Examined      int   // number of those that were read: the newest
	Finished      int   // number of the examined sessions that have ended and have no holder
	Bytes         int64 // size of all files but those of the other sessions, in bytes
	FinishedBytes int64 // size of the files of the finished sessions, in bytes
}

// mostExamined is how many sessions CheckUp examines. With their files, 500 take 20 ms, and 10,000 more than half a second:
// that is how many are kept, unless a user wants more.
const mostExamined = 500

// maxRecord is the maximum size of a record, in bytes. The record of any terminal is less than a tenth of it.
const maxRecord = 16 << 20

// CheckUp examines the folder, with the newest sessions, and changes nothing. It has no time limit of its own: a slow file
// system makes it slow.
func (d Dir) CheckUp() (Checkup, error) {
	var c Checkup
	sessions := d.file(sessionsDir)
	if _, err := c.walk(d, d.root, sessions); err != nil {
		return c, err
	}
	d.checkActive(&c)
	names, err := fileNames(sessions)
	if err != nil {
		return c, err
	}
	slices.Sort(names)
	recorded, err := d.checkRecords(&c, names)
	if err == nil {
		err = d.checkOthers(&c, names, recorded)
	}
	if err != nil {
		return c, err
	}
	return c, d.checkEvents(&c)
}

// walk adds the files at and below a path, except for those in a folder. It returns their size.
func (c *Checkup) walk(d Dir, path, except string) (bytes int64, err error) {
	err = filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // the file was removed during the walk
			}
			return err
		}
		if path == except && entry.IsDir() {
			return fs.SkipDir
		}
		name, _ := filepath.Rel(d.root, path) // both are absolute
		info, err := entry.Info()
		if err != nil {
			return nil // as above
		}
		c.file(name, info)
		if info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	c.Bytes += bytes
	return bytes, err
}

// litterAge is the age from which a temporary file counts as abandoned.
const litterAge = time.Minute

// file classifies a file by its name.
func (c *Checkup) file(name string, info fs.FileInfo) {
	base := filepath.Base(name)
	switch {
	case strings.Contains(base, asideMark):
		c.SetAside = append(c.SetAside, name)
	case time.Since(info.ModTime()) < litterAge:
	case strings.HasPrefix(base, ".") && strings.Contains(base, ".json."), strings.HasPrefix(base, trialPrefix):
		c.Litter = append(c.Litter, name)
	}
}

// checkActive checks the lock file, the active set and its index of names.
func (d Dir) checkActive(c *Checkup) {
	if info, err := os.Lstat(d.file(lockFile)); err == nil && !info.Mode().IsRegular() {
		c.Damaged, c.Unlocked = append(c.Damaged, lockFile+": "+errIrregular.Error()), true
	}
	if info, err := os.Lstat(d.file(indexFile)); err == nil && !info.Mode().IsRegular() {
		c.Damaged = append(c.Damaged, indexFile+": "+errIrregular.Error())
	}
	err := d.parse(activeFile, &Active{})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Damaged = append(c.Damaged, activeFile+": "+err.Error())
	}
}

// checkRecords examines the newest sessions. It returns which ids have a record.
func (d Dir) checkRecords(c *Checkup, names []string) (recorded map[string]bool, err error) {
	var ids []string // oldest first
	recorded = map[string]bool{}
	for _, name := range names {
		if id, ok := recordOf(name); ok {
			ids, recorded[id] = append(ids, id), true
		}
	}
	c.Sessions = len(ids)
	for _, id := range ids[max(0, len(ids)-mostExamined):] {
		var s Session
		name := sessionsDir + "/" + id + ".json"
		err := d.parse(name, &s)
		if err == nil && (s.ID != id || !s.plausible()) {
			err = errors.New("it is not the record of this session")
		}
		if errors.Is(err, fs.ErrNotExist) { // the file was removed during the check
			c.Sessions--
			delete(recorded, id)
			continue
		}
		record, walkErr := c.walk(d, d.record(id), "")
		files, filesErr := c.walk(d, d.SessionFolder(id), "")
		if err := errors.Join(walkErr, filesErr); err != nil {
			return recorded, err
		}
		if err != nil {
			c.Sessions--
			c.Damaged = append(c.Damaged, name+": "+err.Error())
			continue
		}
		c.Examined++
		if !d.Held(id) {
			c.Finished++
			c.FinishedBytes += record + files
		}
	}
	return recorded, nil
}

// checkOthers examines what is beside the sessions with a record.
func (d Dir) checkOthers(c *Checkup, names []string, recorded map[string]bool) error {
	for _, id := range names {
		if recorded[id] || recorded[strings.TrimSuffix(id, ".json")] {
			continue
		}
		if _, err := c.walk(d, d.file(sessionsDir+"/"+id), ""); err != nil {
			return err
		}
		if info, err := os.Lstat(d.SessionFolder(id)); err != nil || !info.IsDir() || !isID(id) {
			continue
		}
		if _, err := os.Lstat(d.record(id)); err == nil { // the record was written during the check
			continue
		}
		switch held := d.Held(id); {
		case d.inUse(id): // a caller is just starting it
		case held:
			c.Unlisted = append(c.Unlisted, id)
		default:
			c.Homeless = append(c.Homeless, id)
		}
	}
	return nil
}

// parse reads a JSON file. If that fails, a writer may be at work: parse waits for the lock and reads the file again.
func (d Dir) parse(name string, v any) error {
	err := d.parseNow(name, v)
	if err != nil && !errors.Is(err, errIrregular) && !errors.Is(err, fs.ErrNotExist) {
		guard := name
		if name == activeFile {
			guard = lockFile
		}
		info, statErr := os.Lstat(d.file(guard))
		if statErr != nil || !info.Mode().IsRegular() {
			return err
		}
		if unlock, shareErr := share(d.file(guard)); shareErr == nil {
			defer unlock()
			err = d.parseNow(name, v)
		}
	}
	return err
}

// errIrregular reports that something else stands in the place of a regular file.
var errIrregular = errors.New("it is not a file")

func (d Dir) parseNow(name string, v any) error {
	f, _, err := regular.Open(d.file(name), os.O_RDONLY)
	if errors.Is(err, regular.ErrOther) {
		return errIrregular
	}
	if err != nil {
		return reason(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err != nil {
		return reason(err)
	}
	if len(data) > maxRecord {
		return fmt.Errorf("it has more than %d bytes", maxRecord)
	}
	return json.Unmarshal(bytes.TrimRight(data, "\n"), v) // a record has up to 4 KiB of newlines
}

// reason returns err without the path, which the reader already knows.
func reason(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// checkEvents counts the lines of all files of the log.
func (d Dir) checkEvents(c *Checkup) error {
	numbers, err := d.segments()
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if err := d.checkLog(c, segmentName(n)); err != nil {
			return err
		}
	}
	return d.checkLog(c, eventFile)
}

// checkLog counts the lines of one file of the log.
func (d Dir) checkLog(c *Checkup, name string) error {
	f, info, err := openRegular(d.file(name), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, ErrUnsafe) {
		err = errIrregular
	}
	if err != nil {
		c.Damaged = append(c.Damaged, name+": "+reason(err).Error())
		return nil
	}
	defer f.Close()
	c.EventBytes += info.Size()
	lines := bufio.NewReaderSize(io.LimitReader(f, info.Size()), maxLine) // no further: the file may grow as fast as it is read
	for long := false; ; {
		line, err := lines.ReadSlice('\n')
		var e Event
		switch {
		case err == bufio.ErrBufferFull:
			long = true
			skipHole(f)
			if at, err := f.Seek(0, io.SeekCurrent); err == nil {
				lines.Reset(io.LimitReader(f, max(0, info.Size()-at))) // the buffer is empty: it was one piece of a line
			}
			continue
		case err != nil && err != io.EOF:
			return err
		case long:
			c.DamagedEvents++
			long = false
		case err == io.EOF && len(line) > 0:
			c.TornEvent = true
		case len(line) > 1 && e.decode(string(line[:len(line)-1])): // a blank line does not count
			c.EventLines++
		case len(line) > 1:
			c.DamagedEvents++
		}
		if err != nil {
			return nil
		}
	}
}
