package ledger

import (
	"errors"
	"os"

	"devtools/ledger/codec"
)

// The files about prompts, and their maximum sizes in bytes.
const (
	promptsFile = "prompts.toml"
	promptsLog  = "prompts.jsonl"
	oldPrompts  = "prompts.old.jsonl"

	maxPrompts    = 256 << 10
	maxPromptsLog = 1 << 20
)

// Prompts returns the workspace's own prompt patterns, as people have written them. It returns nil if there are none.
func (d Dir) Prompts() ([]byte, error) {
	data, _, err := d.written(promptsFile, maxPrompts)
	return data, err
}

// A PromptNote describes a prompt that was found without proof, or that no pattern matched.
type PromptNote struct {
	Version    int    `json:"v"`
	TS         Time   `json:"ts"`
	SessionID  string `json:"sessionId"`
	Command    string `json:"command"` // name of the program that reads
	Prompt     string `json:"prompt"`
	Kind       string `json:"kind"`
	Known      bool   `json:"known"` // a pattern or the name of the program told what it is
	Confidence string `json:"confidence"`
	Reason     string `json:"reason"`
}

// NotePrompt adds n to the notes. When the file of notes is full, it replaces the file of older notes.
func (d Dir) NotePrompt(n PromptNote) error {
	n.Version = version
	line, err := codec.Marshal(n)
	if err != nil {
		return err
	}
	path := d.file(promptsLog)
	if info, err := os.Lstat(path); err == nil && info.Size() > maxPromptsLog {
		if err := os.Rename(path, d.file(oldPrompts)); err != nil { // of two processes at once, one finds no file
			return err
		}
	}
	f, err := openFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
