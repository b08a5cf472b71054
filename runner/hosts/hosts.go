// Package hosts writes the skill, rules, hook and MCP server of devtools into the files of programs in which agents work, and removes
// them again. hosts.toml says what is written where: the code knows formats, and no host.
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
	Name string `json:"entry"`         // name of the entry
	What string `json:"what"`          // what it is, for people
	Note string `json:"note,omitzero"` // what people should know about it

	File, Project, Needs, Format, Value, Text string   `json:"-"`
	Words, At, Values                         []string `json:"-"`
	Sandbox                                   bool     `json:"-"`
}

// An edit is an insertion into a file.
type edit struct {
	Entry  string   `json:"entry"`
	Text   string   `json:"text"`   // what is inserted; "": the entry is there
	Values []string `json:"values"` // json: the elements of the list that are new, or the value
	Depth  int      `json:"depth"`  // json: how many of the entry's keys were there
	offset int      // where, in bytes
}

// errDiffers reports that something else is where an entry is to be.
var errDiffers = errors.New("something else is in its place")

// Entries returns the entries of the table in their order, with the text of the skill.
func Entries(skill string) ([]Entry, error) {
	var all struct{ Entry []Entry }
	err := toml.Unmarshal([]byte(table), &all)
	for i := range all.Entry {
		if e := &all.Entry[i]; e.Text == "skill" {
			e.Text = skill
		} else if e.Values != nil {
			e.Value = "[" + strings.Join(e.Values, ", ") + "]"
		}
	}
	return all.Entry, err
}

// insert returns what an entry adds to the content of its file.
func (e *Entry) insert(content []byte) (edit, error) {
	switch {
	case e.Format == "json":
		return e.insertJSON(content)
	case e.Format == "toml":
		return e.insertTOML(content)
	case len(content) == 0:
		return edit{Entry: e.Name, Text: e.Text}, nil
	case string(content) != e.Text:
		return edit{}, errors.New("it has another text")
	}
	return edit{}, nil
}

// withLineEnds returns a text with the line ends of a file.
func withLineEnds(text string, content []byte) string {
	if strings.Contains(string(content), "\r\n") {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}
