package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// codePoints is the number of code points.
const codePoints = 0x110000

// A set is a set of code points.
type set map[rune]bool

// A database has the sets of characters that the rule needs.
type database struct {
	version string // of Unicode, like 18.0.0

	wide, fullwidth            set // East_Asian_Width
	nonspacing, enclosing      set // General_Category: marks
	format                     set // General_Category
	vowels, finals             set // Hangul_Syllable_Type: jamo that follow an initial
	ignorable                  set // Default_Ignorable_Code_Point
	prepended                  set // Prepended_Concatenation_Mark
	regionalIndicators, emojis set
}

// readDatabase reads the files in folder, which has the layout of UCD.zip.
func readDatabase(folder string) (*database, error) {
	var db database
	for _, file := range []struct {
		name string
		sets map[string]*set // by the property's value
	}{
		{"EastAsianWidth.txt", map[string]*set{"W": &db.wide, "F": &db.fullwidth}},
		{"extracted/DerivedGeneralCategory.txt", map[string]*set{"Mn": &db.nonspacing, "Me": &db.enclosing, "Cf": &db.format}},
		{"HangulSyllableType.txt", map[string]*set{"V": &db.vowels, "T": &db.finals}},
		{"DerivedCoreProperties.txt", map[string]*set{"Default_Ignorable_Code_Point": &db.ignorable}},
		{"PropList.txt", map[string]*set{
			"Prepended_Concatenation_Mark": &db.prepended, "Regional_Indicator": &db.regionalIndicators,
		}},
		{"emoji/emoji-data.txt", map[string]*set{"Emoji": &db.emojis}},
	} {
		version, err := readProperties(filepath.Join(folder, filepath.FromSlash(file.name)), file.sets)
		if err != nil {
			return nil, err
		}
		if db.version == "" {
			db.version = version
		}
		// The emoji file has only the first two numbers of its version.
		if version == "" || !strings.HasPrefix(db.version+".", version+".") {
			return nil, fmt.Errorf("%s has version %q, but the files before it have %q", file.name, version, db.version)
		}
	}
	return &db, nil
}

// readProperties adds the code points of a file to the set of their value, and returns the version
// in the file's head.
func readProperties(name string, sets map[string]*set) (version string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := "# " + strings.TrimSuffix(filepath.Base(name), ".txt") + "-"
	for value := range sets {
		*sets[value] = set{}
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if v, ok := strings.CutPrefix(line, head); ok {
			version = strings.TrimSuffix(v, ".txt")
		}
		if v, ok := strings.CutPrefix(line, "# Version: "); ok { // of emoji
			version = v
		}
		data, _, _ := strings.Cut(line, "#")
		fields := strings.Split(data, ";")
		if len(fields) < 2 {
			continue
		}
		values := sets[strings.TrimSpace(fields[1])]
		if values == nil {
			continue
		}
		first, last, err := parseRange(strings.TrimSpace(fields[0]))
		if err != nil {
			return "", fmt.Errorf("%s: %q: %w", name, line, err)
		}
		for r := first; r <= last; r++ {
			(*values)[r] = true
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	for value, found := range sets {
		if len(*found) == 0 {
			return "", fmt.Errorf("%s: no code point has the value %s", name, value)
		}
	}
	return version, nil
}

// parseRange parses a code point in hexadecimal digits, or two with .. between.
func parseRange(text string) (first, last rune, err error) {
	from, to, both := strings.Cut(text, "..")
	if !both {
		to = from
	}
	a, err := strconv.ParseUint(from, 16, 32)
	if err != nil {
		return 0, 0, err
	}
	b, err := strconv.ParseUint(to, 16, 32)
	if err == nil && (b < a || b >= codePoints) {
		err = strconv.ErrRange
	}
	return rune(a), rune(b), err
}
