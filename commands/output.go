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

// A readOn says where the output continues after an answer.
type readOn struct {
	NextOffset int64           `json:"nextOffset"`
	Next       ledger.Position `json:"next"` // the same position, with the session
}

func readOnFrom(sessionID string, offset int64) readOn {
	return readOn{offset, ledger.Position{Session: sessionID, Offset: offset}}
}

// show prints the result of a command. With --json it is one JSON object, otherwise the function human prints it. A
// full disk or a closed pipe is an error of the command.
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

// encode writes v as one line of JSON. It does not escape <, > and &, so that the output of programs stays readable.
func encode(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// writeColumns writes rows with aligned columns, two spaces apart. All rows have the same number of cells.
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
