package commands

import (
	"bytes"
	"io"
	"regexp"

	"github.com/urfave/cli/v3"
)

// maxBefore is how much of the lines before a match is kept, in bytes: 16 lines of the greatest length. With more, the oldest are
// not printed.
const maxBefore = 16 << 20

// A grep passes on the lines that match, with the lines around them. A line -- stands where it has left lines out between two
// groups, as with grep(1).
type grep struct {
	pattern       *regexp.Regexp
	before, after int  // lines of context
	grouped       bool // groups are divided, also those of 0 lines of context

	held     [][]byte // last lines before the next one that were not passed on, at most as many as before says
	heldSize int      // of held, in bytes
	due      int      // lines to pass on although they do not match: they follow a match
	some     bool     // a line was passed on
	gap      bool     // a line was left out since
}

// newGrep returns the selection that the flags of log ask for, or nil if all lines are to be printed.
func newGrep(cmd *cli.Command, pattern *regexp.Regexp) *grep {
	if pattern == nil {
		return nil
	}
	around := func(flag string) int {
		if cmd.IsSet(flag) {
			return cmd.Int(flag)
		}
		return cmd.Int("context")
	}
	grouped := cmd.IsSet("context") || cmd.IsSet("before-context") || cmd.IsSet("after-context")
	return &grep{pattern: pattern, before: around("before-context"), after: around("after-context"), grouped: grouped}
}

// line passes a line on to w, if it is selected.
func (g *grep) line(w io.Writer, line []byte) error {
	switch {
	case g.pattern.Match(bytes.TrimRight(line, "\r\n")):
		return g.group(w, line)
	case g.due > 0:
		g.due--
		_, err := w.Write(line)
		return err
	case g.before == 0:
		g.gap = true
	default:
		g.hold(line)
	}
	return nil
}

// group passes on a line that matches, after the lines before it.
func (g *grep) group(w io.Writer, line []byte) error {
	if g.grouped && g.some && g.gap {
		if _, err := io.WriteString(w, "--\n"); err != nil {
			return err
		}
	}
	for _, line := range append(g.held, line) {
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	g.held, g.heldSize, g.due, g.some, g.gap = g.held[:0], 0, g.after, true, false
	return nil
}

// hold keeps a line, which is printed if a match follows soon.
func (g *grep) hold(line []byte) {
	g.held, g.heldSize = append(g.held, bytes.Clone(line)), g.heldSize+len(line)
	for len(g.held) > g.before || g.heldSize > maxBefore {
		g.heldSize -= len(g.held[0])
		g.held, g.gap = g.held[1:], true
	}
}
