package files

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mostIncludes is how deep git's configuration files may include each other. Git has the same limit.
const mostIncludes = 10

// A gitConfig holds the settings of git that matter here. Later files replace the settings of
// earlier ones. Files are included by include.path, but not by the conditions of includeIf.
type gitConfig struct {
	excludesFile   string // "~" is not replaced yet
	excludes       bool   // excludesFile is set, possibly to ""
	ignoreCase     bool
	sha256         bool // the names of objects have 32 bytes
	worktreeConfig bool // a worktree has its own settings
}

// read adds the settings of a file. A missing file has none.
func (c *gitConfig) read(file, home string, depth int) error {
	return readSettings(file, home, depth, c.set)
}

// readSettings calls set for each setting of a file and of those that it includes.
func readSettings(file, home string, depth int, set func(key, value string)) error {
	data, err := readOutside(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil && !errors.Is(err, ErrTooLong) {
		return err
	}
	section := ""
	for len(data) > 0 {
		data = bytes.TrimLeft(data, " \t\r\n")
		switch {
		case len(data) == 0:
		case data[0] == '#' || data[0] == ';':
			_, data, _ = bytes.Cut(data, []byte("\n"))
		case data[0] == '[':
			section, data = configSection(data[1:])
		default:
			var name, value string
			name, value, data = configSetting(data)
			if section == "include" && name == "path" {
				if depth == mostIncludes {
					return fmt.Errorf("it includes files more than %d deep", mostIncludes)
				}
				included := expandHome(value, home)
				if !filepath.IsAbs(included) {
					included = filepath.Join(filepath.Dir(file), included)
				}
				if err := readSettings(included, home, depth+1, set); err != nil {
					return fmt.Errorf("%s: %w", included, err)
				}
				continue
			}
			set(section+"."+name, value)
		}
	}
	return err
}

func (c *gitConfig) set(key, value string) {
	switch key {
	case "core.excludesfile":
		c.excludesFile, c.excludes = value, true
	case "core.ignorecase":
		c.ignoreCase = configTrue(value)
	case "extensions.objectformat":
		c.sha256 = strings.EqualFold(value, "sha256")
	case "extensions.worktreeconfig":
		c.worktreeConfig = configTrue(value)
	}
}

// configTrue reads a boolean. A name without a value has the value "true".
func configTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	}
	digits := strings.TrimLeft(value, "-+0")
	return digits != "" && strings.Trim(digits, "0123456789kKmMgG") == ""
}

// configSection reads the text behind a "[". The name is in lower case; a subsection stays as it is.
func configSection(data []byte) (string, []byte) {
	quoted := false
	for i := 0; i < len(data); i++ {
		switch {
		case data[i] == '"':
			quoted = !quoted
		case quoted && data[i] == '\\':
			i++
		case data[i] == '\n':
			return "", data[i:]
		case data[i] == ']' && !quoted:
			name, sub, _ := strings.Cut(string(data[:i]), " ")
			return strings.ToLower(name) + sub, data[i+1:]
		}
	}
	return "", nil
}

// configSetting reads "name = value" with git's quotes, escapes, comments and continued lines.
func configSetting(data []byte) (name, value string, rest []byte) {
	end := bytes.IndexAny(data, "=\n#;")
	if end < 0 {
		end = len(data)
	}
	name = strings.ToLower(strings.TrimSpace(string(data[:end])))
	if end == len(data) || data[end] != '=' {
		return name, "true", data[end:]
	}
	v := configValue{rest: bytes.TrimLeft(data[end+1:], " \t")}
	for v.next() {
	}
	return name, string(v.text[:v.kept]), v.rest
}

// A configValue reads the value of a setting.
type configValue struct {
	rest   []byte // the rest of the file
	text   []byte // the value so far
	kept   int    // the length of text without blanks at its end; blanks in quotes count
	quoted bool
}

// next reads the next byte, or an escape. It reports whether the value may go on.
func (v *configValue) next() bool {
	if len(v.rest) == 0 {
		v.rest = nil
		return false
	}
	c := v.rest[0]
	switch {
	case c == '\n':
		return false
	case (c == '#' || c == ';') && !v.quoted:
		_, v.rest, _ = bytes.Cut(v.rest, []byte("\n"))
		return false
	case c == '\\' && len(v.rest) > 1:
		v.escape()
		return true
	}
	v.rest = v.rest[1:]
	if c == '"' {
		v.quoted, v.kept = !v.quoted, len(v.text)
		return true
	}
	v.text = append(v.text, c)
	if c != ' ' && c != '\t' && c != '\r' {
		v.kept = len(v.text)
	}
	return true
}

// escape reads a backslash and the byte behind it. At the end of a line it continues the value in
// the next line.
func (v *configValue) escape() {
	if after, ok := bytes.CutPrefix(v.rest, []byte("\\\n")); ok {
		v.rest = after
		return
	}
	if after, ok := bytes.CutPrefix(v.rest, []byte("\\\r\n")); ok {
		v.rest = after
		return
	}
	c := v.rest[1]
	switch c {
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'b':
		c = '\b'
	}
	v.rest = v.rest[2:]
	v.text = append(v.text, c)
	v.kept = len(v.text)
}

// expandHome replaces a "~" before the first slash by the home folder.
func expandHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}
