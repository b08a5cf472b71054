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
	if err := toml.Unmarshal(bytes.TrimPrefix(content, []byte(bom)), &file); err != nil {
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
func (e *Entry) insertTOML(content []byte) (offset int, text string, err error) {
	there, err := e.lookTOML(content)
	if err != nil {
		return 0, "", err
	}
	switch ours, _ := e.lookTOML([]byte(e.Text)); { // a test reads the table
	case reflect.DeepEqual(there, ours):
		return 0, "", nil
	case there != nil:
		return 0, "", errDiffers
	case len(content) == 0:
		text = e.Text
	case bytes.HasSuffix(content, []byte("\n")):
		text = "\n" + e.Text
	default:
		text = "\n\n" + e.Text
	}
	text = withLineEnds(text, content)
	if _, err = e.lookTOML(append(bytes.Clone(content), text...)); err != nil {
		err = errors.New("a table that is written in one line takes no other one") // { … }
	}
	return len(content), text, err
}
