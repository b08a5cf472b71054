// Package hosts writes into the files of the hosts of agents what these are to know of devtools, and takes it out again. What is
// written where is data, hosts.toml: the package knows formats, and no host.
package hosts

import (
	_ "embed" // for the table
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

//go:embed hosts.toml
var table string

// An Entry is one text in one file of a host. The table says what its fields are.
type Entry struct {
	Name, What, Note, File, Project, Needs, Format, Value, Text string

	Words, At []string
	Sandbox   bool
}

// errDiffers reports that something else is where an entry is to be.
var errDiffers = errors.New("something else is in its place")

// Entries returns the entries of the table in their order, with the text of the skill.
func Entries(skill string) ([]Entry, error) {
	var all struct{ Entry []Entry }
	err := toml.Unmarshal([]byte(table), &all)
	for i := range all.Entry {
		if all.Entry[i].Text == "skill" {
			all.Entry[i].Text = skill
		}
	}
	return all.Entry, err
}

// insert returns the text that an entry adds to the content of its file, and where. "" means that the entry is there.
func (e *Entry) insert(content []byte) (offset int, text string, err error) {
	switch {
	case e.Format == "json":
		return e.insertJSON(content)
	case e.Format == "toml":
		return e.insertTOML(content)
	case len(content) == 0:
		text = e.Text
	case string(content) != e.Text:
		err = errors.New("it has another text")
	}
	return 0, text, err
}

// withLineEnds returns a text with the line ends of a file.
func withLineEnds(text string, content []byte) string {
	if strings.Contains(string(content), "\r\n") {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}
