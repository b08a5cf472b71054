package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/pelletier/go-toml/v2"
)

// lookTOML returns the value at the keys of an entry, nil if there is none.
func (e *Entry) lookTOML(content []byte) (value any, err error) {
	var file map[string]any
	if err := toml.Unmarshal(content, &file); err != nil {
		return nil, fmt.Errorf("it is not valid TOML: %w", err)
	}
	value = file
	for _, key := range e.At {
		below, _ := value.(map[string]any)
		value = below[key]
	}
	return value, nil
}

// insertTOML works as insert. The table is added at the end: whatever else is in the file keeps its meaning.
func (e *Entry) insertTOML(content []byte) (edit, error) {
	there, err := e.lookTOML(content)
	ours, _ := e.lookTOML([]byte(e.Text)) // a test reads the table
	if err != nil || reflect.DeepEqual(there, ours) {
		return edit{}, err
	}
	if there != nil {
		return edit{}, errDiffers
	}
	before := "\n\n"
	if len(content) == 0 {
		before = ""
	} else if bytes.HasSuffix(content, []byte("\n")) {
		before = "\n"
	}
	text := withLineEnds(before+e.Text, content)
	if _, err = e.lookTOML(append(bytes.Clone(content), text...)); err != nil {
		err = errors.New("a table that is written in one line takes no other one") // { … }
	}
	return edit{Entry: e.Name, Text: text, offset: len(content)}, err
}
