package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// kinds lists all kinds.
var kinds = []Kind{Password, Confirm, Line, Choice, REPL, Pager, Editor, TUI, Key}

// maxPatterns is how many patterns a workspace can have. maxExpression is how long each can be, in bytes.
const (
	maxPatterns   = 256
	maxExpression = 1024
)

// Own returns the patterns of a workspace. data and err come from reading its file.
func Own(data []byte, err error) (own []Pattern, _ error) {
	if err == nil {
		own, err = Parse(data)
	}
	if err != nil {
		err = fmt.Errorf("prompts.toml is ignored: %w", err)
	}
	return own, err
}

// Parse reads the patterns of a workspace. The file is in TOML, with one [[prompt]] that has a pattern and a kind for
// each of them, and nothing else. An error names the wrong prompt, or the line.
func Parse(data []byte) ([]Pattern, error) {
	var file struct {
		Prompt []struct {
			Pattern string `toml:"pattern"`
			Kind    Kind   `toml:"kind"`
		} `toml:"prompt"`
	}
	decoder := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok && len(unknown.Errors) > 0 {
			first := &unknown.Errors[0]
			line, _ := first.Position()
			return nil, fmt.Errorf("line %d: unknown key %s: use only [[prompt]], with pattern and kind", line, strings.Join(first.Key(), "."))
		}
		if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ := wrong.Position()
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		return nil, err
	}
	if len(file.Prompt) > maxPatterns {
		return nil, fmt.Errorf("%d patterns: at most %d are allowed", len(file.Prompt), maxPatterns)
	}
	var patterns []Pattern
	for i, p := range file.Prompt {
		known := false
		for _, kind := range kinds {
			known = known || p.Kind == kind
		}
		switch {
		case !known:
			return nil, fmt.Errorf("prompt %d: unknown kind %q: use one of %v", i+1, p.Kind, kinds)
		case p.Pattern == "" || len(p.Pattern) > maxExpression:
			return nil, fmt.Errorf("prompt %d: the pattern has %d bytes: use 1 to %d", i+1, len(p.Pattern), maxExpression)
		}
		re, err := regexp.Compile(p.Pattern)
		if err != nil {
			return nil, fmt.Errorf("prompt %d: %w", i+1, err)
		}
		patterns = append(patterns, Pattern{p.Kind, re})
	}
	return patterns, nil
}
