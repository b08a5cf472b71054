package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// journalFile lists the processes of a session, in its folder.
const journalFile = "processes.jsonl"

// maxJournalLine is the longest line of a journal that is read, in bytes. Those of ours are well below it.
const maxJournalLine = 64 << 10

// A journalLine is a process that was seen for the first time, or that has ended.
type journalLine struct {
	Version int `json:"v"`
	Process
	Ended bool `json:"ended,omitzero"`
}

// AppendJournal notes in the journal of the session id which processes have begun and which have ended. It is there to
// find what outlives a holder that was killed. The holder alone writes it, and after its death who has the lock of the
// ledger.
func (d Dir) AppendJournal(id string, begun, ended []Process) error {
	if len(begun)+len(ended) == 0 {
		return nil
	}
	lines, err := journalLines(begun, ended)
	if err != nil {
		return err
	}
	f, err := openFile(d.journal(id), os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	var last [1]byte
	if size > 0 {
		if _, err := f.ReadAt(last[:], size-1); err == nil && last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...) // a crash has cut the last line short
		}
	}
	if _, err = f.Write(lines); err != nil {
		err = errors.Join(err, f.Truncate(size)) // a full disk: no half line stays
	}
	return errors.Join(err, f.Close())
}

// RewriteJournal makes the journal of the session id a list of just the living.
func (d Dir) RewriteJournal(id string, living []Process) error {
	lines, err := journalLines(living, nil)
	if err != nil {
		return err
	}
	return writeThenRename(d.journal(id), lines)
}

func journalLines(begun, ended []Process) ([]byte, error) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, p := range begun {
		if err := encoder.Encode(journalLine{Version: version, Process: p}); err != nil {
			return nil, err
		}
	}
	for _, p := range ended {
		p = Process{PID: p.PID, Start: p.Start, Inode: p.Inode, Boot: p.Boot}
		if err := encoder.Encode(journalLine{Version: version, Process: p, Ended: true}); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}

// Journal returns the processes in the journal of the session id that have not ended as far as it knows, in the order
// in which they were seen. Lines that are none, and those that are too long to be ours, are skipped.
func (d Dir) Journal(id string) ([]Process, error) {
	f, _, err := openRegular(d.journal(id), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	type key struct {
		pid          int
		start, inode uint64
	}
	var order []key
	living := map[key]Process{}
	lines := bufio.NewReaderSize(f, maxJournalLine)
	for tooLong, more := false, true; more; {
		text, err := lines.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			tooLong = true
			continue
		}
		if more = err == nil; err != nil && err != io.EOF {
			return nil, err
		}
		var line journalLine
		if tooLong || json.Unmarshal(text, &line) != nil || line.PID <= 0 {
			tooLong = false
			continue
		}
		k := key{line.PID, line.Start, line.Inode}
		if line.Ended {
			delete(living, k)
			continue
		}
		if _, known := living[k]; !known {
			order = append(order, k)
		}
		living[k] = line.Process
	}
	var list []Process
	for _, k := range order {
		if p, ok := living[k]; ok {
			list = append(list, p)
			delete(living, k) // it may stand in the order twice
		}
	}
	return list, nil
}

func (d Dir) journal(id string) string { return filepath.Join(d.SessionFolder(id), journalFile) }
