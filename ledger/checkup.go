package ledger

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

	Sessions      []Session // records, oldest first
	Finished      int       // number of ended sessions without a holder
	Bytes         int64     // size of all files, in bytes
	FinishedBytes int64     // size of the files of the finished sessions, in bytes
}

// maxRecord is the maximum size of a record, in bytes. The record of any terminal is less than a tenth of it.
const maxRecord = 16 << 20

// CheckUp examines everything in the folder and changes nothing. It has no time limit of its own: a slow file system
// makes it slow.
func (d Dir) CheckUp() (Checkup, error) {
	var c Checkup
	sizes := map[string]int64{} // in bytes, by the first name below the folder of sessions, without its extension
	err := filepath.WalkDir(d.path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // the file was removed during the walk
			}
			return err
		}
		name, _ := filepath.Rel(d.path, path) // both are absolute
		info, err := entry.Info()
		if err != nil {
			return nil // as above
		}
		c.file(name, info)
		if !info.Mode().IsRegular() {
			return nil
		}
		c.Bytes += info.Size()
		if rest, ok := strings.CutPrefix(filepath.ToSlash(name), sessionsDir+"/"); ok {
			id, _, _ := strings.Cut(rest, "/")
			sizes[strings.TrimSuffix(id, ".json")] += info.Size()
		}
		return nil
	})
	if err != nil {
		return c, err
	}
	d.checkActive(&c)
	if err := d.checkSessions(&c, sizes); err != nil {
		return c, err
	}
	return c, d.checkEvents(&c)
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

// checkActive checks the lock file and the active set.
func (d Dir) checkActive(c *Checkup) {
	if info, err := os.Lstat(d.file(lockFile)); err == nil && !info.Mode().IsRegular() {
		c.Damaged, c.Unlocked = append(c.Damaged, lockFile+": "+errIrregular.Error()), true
	}
	err := d.parse(activeFile, &Active{})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Damaged = append(c.Damaged, activeFile+": "+err.Error())
	}
}

// checkSessions checks the records and the folders of the sessions.
func (d Dir) checkSessions(c *Checkup, sizes map[string]int64) error {
	entries, err := os.ReadDir(d.file(sessionsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	recorded := map[string]bool{}
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), ".json")
		if !ok || strings.HasPrefix(id, ".") {
			continue
		}
		var s Session
		name := sessionsDir + "/" + entry.Name()
		err := d.parse(name, &s)
		if err == nil && (s.ID != id || !s.plausible()) {
			err = errors.New("it is not the record of this session")
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // the file was removed during the check
			continue
		case err != nil:
			c.Damaged = append(c.Damaged, name+": "+err.Error())
		default:
			c.Sessions = append(c.Sessions, s)
			if !d.Held(id) {
				c.Finished++
				c.FinishedBytes += sizes[id]
			}
		}
		recorded[id] = true
	}
	for _, entry := range entries {
		id := entry.Name()
		if !entry.IsDir() || recorded[id] || strings.Trim(id, idAlphabet) != "" {
			continue
		}
		if _, err := os.Lstat(d.record(id)); err == nil { // the record was written during the check
			continue
		}
		if d.Held(id) {
			c.Unlisted = append(c.Unlisted, id)
		} else {
			if !d.inUse(id) { // otherwise a caller is about to start a holder for it
				c.Homeless = append(c.Homeless, id)
			}
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
	return json.Unmarshal(data, v)
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
