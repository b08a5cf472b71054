package commands

import (
	"bytes"
	"io"
	"slices"

	"github.com/urfave/cli/v3"
)

// A listPrinter prints a list of any length as its entries come, many at a time. With --json it is the first member of the result.
type listPrinter struct {
	cmd     *cli.Command
	w       io.Writer
	head    string // before the first entry
	between int    // length of the separator before each entry, in bytes; the first entry has none
	begun   bool
	skip    bool // --fields does not ask for the list
}

// newListPrinter returns a printer of the list that JSON calls member.
func newListPrinter(cmd *cli.Command, member string) *listPrinter {
	p := &listPrinter{cmd: cmd, w: cmd.Root().Writer}
	if cmd.Bool("json") {
		asked := fieldsOf(cmd)
		p.skip = len(asked) > 0 && !slices.ContainsFunc(asked, func(f field) bool { return f.name == member })
		p.w, p.head, p.between = observed(p.w), `{"`+member+`":[`, 1
	}
	return p
}

func (p *listPrinter) write(text []byte) error {
	if p.skip {
		return nil
	}
	if !p.begun {
		if err := p.begin(); err != nil {
			return err
		}
		text = text[p.between:]
	}
	_, err := p.w.Write(text)
	return err
}

// appendEntry appends an entry, which is a JSON object, with a comma before it. With asked it has only these members.
func appendEntry(text []byte, asked fields, object []byte) []byte {
	entry := bytes.NewBuffer(append(text, ','))
	if err := asked.choose(entry, object); err != nil { // never: it is JSON
		return append(text, `,{}`...)
	}
	return entry.Bytes()
}

func (p *listPrinter) begin() error {
	p.begun = true
	_, err := io.WriteString(p.w, p.head)
	return err
}

// close ends the list, and with --json the result, with its reminder.
func (p *listPrinter) close() error {
	if !p.cmd.Bool("json") {
		return nil
	}
	more := []byte("{}\n")
	if reminds(p.cmd) && wantsReminder(p.cmd) {
		var text bytes.Buffer
		var err error
		if r, asked := reminder(p.cmd, nil), fieldsOf(p.cmd); len(asked) > 0 {
			err = asked.encode(&text, r)
		} else {
			err = encode(&text, r)
		}
		if err != nil {
			return err
		}
		more = text.Bytes()
	}
	if p.skip {
		_, err := p.w.Write(more)
		return err
	}
	if !p.begun {
		if err := p.begin(); err != nil {
			return err
		}
	}
	tail := "]"
	if more[1] != '}' {
		tail += ","
	}
	_, err := p.w.Write(append([]byte(tail), more[1:]...))
	return err
}
