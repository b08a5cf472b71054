package ledger

import (
	"encoding/json"
	"errors"
	"os"
)

// The files about prompts, and how large they may be, in bytes.
const (
	promptsFile = "prompts.toml"
	promptsLog  = "prompts.jsonl"
	oldPrompts  = "prompts.old.jsonl"

	maxPrompts    = 256 << 10
	maxPromptsLog = 1 << 20
)

// Prompts returns the workspace's own patterns of prompts, as people have written them, nil where there are none.
func (d Dir) Prompts() ([]byte, error) {
	data, _, err := d.written(promptsFile, maxPrompts)
	return data, err
}

// A PromptNote is a prompt that was found without proof, or that no pattern knew.
type PromptNote struct {
	Version    int    `json:"v"`
	TS         Time   `json:"ts"`
	SessionID  string `json:"sessionId"`
	Command    string `json:"command"` // the name of the program that reads
	Prompt     string `json:"prompt"`
	Kind       string `json:"kind"`
	Known      bool   `json:"known"` // by a pattern or by the name of the program
	Confidence string `json:"confidence"`
	Reason     string `json:"reason"`
}

// NotePrompt writes n down. Of the oldest notes as many go as there is no room for.
func (d Dir) NotePrompt(n PromptNote) error {
	n.Version = version
	line, err := json.Marshal(n)
	if err != nil {
		return err
	}
	path := d.file(promptsLog)
	if info, err := os.Lstat(path); err == nil && info.Size() > maxPromptsLog {
		if err := os.Rename(path, d.file(oldPrompts)); err != nil { // of two who do so at a time, one has nothing to rename
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
