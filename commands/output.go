package commands

import (
	"bufio"
	"bytes"
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
	NextOffset int64           `json:"nextOffset"` // offset at which the output continues
	Next       ledger.Position `json:"next"`       // the same position with the session: SESSIONID:OFFSET
}

func readOnFrom(sessionID string, offset int64) readOn {
	return readOn{offset, ledger.Position{Session: sessionID, Offset: offset}}
}

// show prints the result of a command. With --json it is one JSON object, otherwise the function human prints it. A
// full disk or a closed pipe is an error of the command.
func show[T any](cmd *cli.Command, v T, human func(io.Writer, T) error) error {
	if cmd.Bool("json") {
		return printJSON(cmd, v)
	}
	w := bufio.NewWriter(cmd.Root().Writer)
	return flush(w, human(w, v))
}

// printJSON prints the result of a command as one JSON object, with the reminder. With --fields it has only these members, which
// must be members of v or of the reminder.
func printJSON(cmd *cli.Command, v any) error {
	if err := checkFields(cmd, v); err != nil {
		return err
	}
	return printResult(cmd, v)
}

// printResult works as printJSON, for a result whose --fields were checked before its command ran.
func printResult(cmd *cli.Command, v any) error {
	var text bytes.Buffer
	if err := encode(&text, v); err != nil {
		return err
	}
	object, err := withReminder(cmd, v, text.Bytes())
	if err != nil {
		return err
	}
	w := bufio.NewWriter(cmd.Root().Writer)
	if asked := fieldsOf(cmd); len(asked) > 0 {
		return flush(w, asked.write(w, object))
	}
	_, err = observed(w).Write(object)
	return flush(w, err)
}

// encodeFor prints v as one of many lines of JSON, with the members of --fields that v has.
func encodeFor(cmd *cli.Command, v any) error {
	w := bufio.NewWriter(cmd.Root().Writer)
	if asked := fieldsOf(cmd); len(asked) > 0 {
		return flush(w, asked.encode(w, v))
	}
	return flush(w, encode(observed(w), v))
}

// flush writes what w has buffered. err is the error of writing to w, which w returns once more.
func flush(w *bufio.Writer, err error) error {
	if failed := w.Flush(); !errors.Is(err, failed) {
		return errors.Join(err, failed)
	}
	return err
}

// observer, if it is not nil, gets all results and errors that are printed as JSON. The tests set it.
var observer io.Writer

// observed returns w, with the observer behind it if there is one.
func observed(w io.Writer) io.Writer {
	if observer == nil {
		return w
	}
	return io.MultiWriter(w, observer)
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
