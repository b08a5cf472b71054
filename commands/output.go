package commands

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/screen"
)

// A readOn tells where the output of a session goes on after an answer.
type readOn struct {
	NextOffset int64           `json:"nextOffset"`
	Next       ledger.Position `json:"next"` // the same place, with the session
}

func readOnFrom(sessionID string, offset int64) readOn {
	return readOn{offset, ledger.Position{Session: sessionID, Offset: offset}}
}

// show prints the result of a command: as one JSON object with --json, else by human. A full disk or a
// closed pipe is an error of the command.
func show[T any](cmd *cli.Command, v T, human func(io.Writer, T) error) error {
	w := bufio.NewWriter(cmd.Root().Writer)
	var err error
	if cmd.Bool("json") {
		err = encode(w, v)
	} else {
		err = human(w, v)
	}
	return errors.Join(err, w.Flush())
}

// encode writes v as one line of JSON. Output of programs stays readable: <, > and & are not escaped.
func encode(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// writeColumns writes rows with their cells below each other, two blanks apart. Rows have equally many cells.
func writeColumns(w io.Writer, rows [][]string) error {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], screen.Width(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]-screen.Width(cell)+2))
		}
		if _, err := io.WriteString(w, strings.TrimRight(line.String(), " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}
