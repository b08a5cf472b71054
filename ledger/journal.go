package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"devtools/ledger/codec"
)

// journalFile is the list of a session's processes, in the session's folder.
const journalFile = "processes.jsonl"

// maxJournalLine is the maximum length of a journal line that is read, in bytes. The lines of devtools are well below
// it.
const maxJournalLine = 64 << 10

// A journalLine is a process that was seen for the first time or has ended.
type journalLine struct {
	Version int `json:"v"`
	Process
	Ended bool `json:"ended,omitzero"`
}

// AppendJournal notes in the journal of session id which processes have begun and which have ended. The journal
// serves to find the processes that outlive a killed holder. Only the holder writes it. After the holder's death, the
// process with the lock of the ledger may write it.
func (d Dir) AppendJournal(id string, begun, ended []Process) error {
	if d.discards || len(begun)+len(ended) == 0 {
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
			lines = append([]byte{'\n'}, lines...) // a crash cut the last line short
		}
	}
	if _, err = f.Write(lines); err != nil {
		err = errors.Join(err, f.Truncate(size)) // after a full disk, leave no half line
	}
	return errors.Join(err, f.Close())
}

// RewriteJournal replaces the journal of session id by a list of the living processes only.
func (d Dir) RewriteJournal(id string, living []Process) error {
	if d.discards {
		return nil
	}
	lines, err := journalLines(living, nil)
	if err != nil {
		return err
	}
	return writeThenRename(d.journal(id), lines)
}

func journalLines(begun, ended []Process) (lines []byte, err error) {
	for _, p := range begun {
		if lines, err = appendLine(lines, journalLine{Version: version, Process: p}); err != nil {
			return nil, err
		}
	}
	for _, p := range ended {
		p = Process{PID: p.PID, Start: p.Start, Inode: p.Inode, Boot: p.Boot}
		if lines, err = appendLine(lines, journalLine{Version: version, Process: p, Ended: true}); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// Journal returns the processes in the journal of session id that have not ended, as far as the journal says. They
// come in the order in which they were seen. Journal skips invalid lines and lines longer than maxJournalLine.
func (d Dir) Journal(id string) ([]Process, error) {
	f, info, err := openRegular(d.journal(id), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > maxContent {
		return nil, fmt.Errorf("%s: %w: it has more than %d bytes", d.journal(id), errDamaged, maxContent)
	}
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
		if tooLong || codec.Unmarshal(text, &line) != nil || line.PID <= 0 {
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
			delete(living, k) // the process may appear twice in order
		}
	}
	return list, nil
}

func (d Dir) journal(id string) string { return filepath.Join(d.SessionFolder(id), journalFile) }
