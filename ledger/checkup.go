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
)

// A Checkup is what a look at a state folder has found. Paths are relative to the folder.
type Checkup struct {
	SetAside []string // files that were found damaged before
	Damaged  []string // files that are, with what is wrong with each
	Homeless []string // ids of folders of sessions without a record, and without a holder
	Unlisted []string // ids of sessions that are held, and have no record
	Litter   []string // what a crash in the middle of a write has left
	Unlocked bool     // what stands in the place of the lock is no file: who takes it may wait for ever

	EventLines    int   // of the log
	DamagedEvents int   // lines of it that are no events
	TornEvent     bool  // its last line is cut short, as the next write mends
	EventBytes    int64 // of the log

	Sessions      []Session // the records, oldest first
	Finished      int       // of them, those that are over and have no holder
	Bytes         int64     // of all files
	FinishedBytes int64     // of those of the finished sessions
}

// maxRecord is how large a record can be, in bytes: no terminal makes one of a tenth of it.
const maxRecord = 16 << 20

// CheckUp looks at everything in the folder and changes nothing. Reading may take as long as the file system lets it.
func (d Dir) CheckUp() (Checkup, error) {
	var c Checkup
	sizes := map[string]int64{} // by the first name in sessions, less its extension
	err := filepath.WalkDir(d.path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // it has gone while we look
			}
			return err
		}
		name, _ := filepath.Rel(d.path, path) // both are absolute
		info, err := entry.Info()
		if err != nil {
			return nil // likewise
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

// litterAge is how old a file is that nobody writes any more.
const litterAge = time.Minute

// file looks at the name of a file.
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

// checkActive looks whether the active set can be read.
func (d Dir) checkActive(c *Checkup) {
	if info, err := os.Lstat(d.file(lockFile)); err == nil && !info.Mode().IsRegular() {
		c.Damaged, c.Unlocked = append(c.Damaged, lockFile+": "+errIrregular.Error()), true
	}
	err := d.parse(activeFile, &Active{})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Damaged = append(c.Damaged, activeFile+": "+err.Error())
	}
}

// checkSessions looks at the records and the folders of the sessions.
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
		case errors.Is(err, fs.ErrNotExist): // it has gone while we look
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
		if _, err := os.Lstat(d.record(id)); err == nil { // it has come while we look
			continue
		}
		if d.Held(id) {
			c.Unlisted = append(c.Unlisted, id)
		} else {
			if !d.inUse(id) { // else its caller is about to have it held
				c.Homeless = append(c.Homeless, id)
			}
		}
	}
	return nil
}

// parse reads a file of JSON. One that is being written is read again.
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

// errIrregular reports something that is no file in the place of one.
var errIrregular = errors.New("it is not a file")

func (d Dir) parseNow(name string, v any) error {
	f, err := openFile(d.file(name), os.O_RDONLY)
	if err != nil {
		if info, statErr := os.Lstat(d.file(name)); statErr == nil && !info.Mode().IsRegular() { // a link, a socket
			return errIrregular
		}
		return reason(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, errIrregular)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err != nil {
		return reason(err)
	}
	if len(data) > maxRecord {
		return fmt.Errorf("it has more than %d bytes", maxRecord)
	}
	return json.Unmarshal(data, v)
}

// reason returns an error without the path, which the reader knows.
func reason(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// checkEvents counts the lines of the log.
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
	lines := bufio.NewReaderSize(io.LimitReader(f, info.Size()), maxLine) // no further: it may grow as fast as we read
	for long := false; ; {
		line, err := lines.ReadSlice('\n')
		var e Event
		switch {
		case err == bufio.ErrBufferFull:
			long = true
			continue
		case err != nil && err != io.EOF:
			return err
		case long:
			c.DamagedEvents++
			long = false
		case err == io.EOF && len(line) > 0:
			c.TornEvent = true
		case len(line) > 1 && e.decode(string(line[:len(line)-1])): // a blank line is nothing
			c.EventLines++
		case len(line) > 1:
			c.DamagedEvents++
		}
		if err != nil {
			return nil
		}
	}
}
