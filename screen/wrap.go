package screen

import "strings"

// Wrap breaks text into lines of at most columns columns: at its line feeds, at blanks, and within
// words that are longer than a line.
func Wrap(text string, columns int) (lines []string) {
	columns = max(columns, 2) // a wide character takes two
	for paragraph := range strings.SplitSeq(text, "\n") {
		line, width := "", 0
		for word := range strings.FieldsSeq(paragraph) {
			n := Width(word)
			if line != "" && width+1+n > columns {
				lines, line, width = append(lines, line), "", 0
			}
			if line != "" {
				line, width = line+" ", width+1
			}
			for _, r := range word {
				n := runeWidth(r)
				if width+n > columns {
					lines, line, width = append(lines, line), "", 0
				}
				line, width = line+string(r), width+n
			}
		}
		lines = append(lines, line)
	}
	return lines
}
