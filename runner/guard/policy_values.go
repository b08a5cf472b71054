package guard

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// tableKeys returns the keys of a policy file by their tables, in the order in which a message has them.
func tableKeys() map[string][]string {
	return map[string][]string{
		"pty":    {"launch", "send_keys", "kill", "request_user_input"},
		"unseen": {"computed", "code", "unreadable"},
		"rule": {
			"name", "action", "reason", "calls", "program", "subcommand", "except", "flags", "all_flags", "paths", "writes", "reads_pipe", "literal",
			"match", "not_match",
		},
		"isolation": {"minimum", "net", "allow_write", "deny_read", "profile"},
	}
}

// checkValues reports the first key of a policy file that is unknown, and the first value that has a wrong type, in the words of the
// file's format. The decoder would name types of Go, take numbers for texts, and Pty for pty.
func checkValues(file map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(file)) {
		if tableKeys()[name] == nil {
			return unknownKey(name, slices.Sorted(maps.Keys(tableKeys())))
		}
		list, isList := file[name].([]any)
		if !isList {
			list = []any{file[name]}
		}
		for _, one := range list {
			table, _ := one.(map[string]any)
			for _, key := range slices.Sorted(maps.Keys(table)) {
				if !slices.Contains(tableKeys()[name], key) {
					return unknownKey(name+"."+key, tableKeys()[name])
				}
				if form, ok := fitsForm(key, table[key]); !ok {
					return fmt.Errorf("%[1]s must be "+form, key)
				}
			}
		}
	}
	return nil
}

func unknownKey(key string, known []string) error {
	last := len(known) - 1
	return fmt.Errorf("unknown key %q: use %s and %s", key, strings.Join(known[:last], ", "), known[last])
}

// fitsForm returns the form that the value of a key has, and whether this one has it.
func fitsForm(key string, value any) (form string, ok bool) {
	text, isText := value.(string)
	switch key {
	case "action", "launch", "send_keys", "kill", "request_user_input", "computed", "code", "unreadable":
		return `"allow", "confirm" or "deny"`, actions()[text] != Free
	case "name", "reason", "minimum", "net", "profile":
		return `a text: %[1]s = "..."`, isText
	case "reads_pipe", "literal":
		_, ok = value.(bool)
		return "true or false: %[1]s = true", ok
	case "all_flags":
		groups, isList := value.([]any)
		return `a list of lists: %[1]s = [["-r", "-R"], ["-f"]]`, isList && !slices.ContainsFunc(groups, func(group any) bool { return !isTexts(group) })
	}
	return `a list of texts: %[1]s = ["..."]`, isTexts(value)
}

// isTexts reports whether a value is a list of texts.
func isTexts(value any) bool {
	list, ok := value.([]any)
	return ok && !slices.ContainsFunc(list, func(one any) bool { _, ok := one.(string); return !ok })
}

// checkWords reports the first word of a rule that has no meaning.
func (r *rule) checkWords() error {
	for _, word := range r.Calls {
		if !slices.Contains(Kinds(), word) {
			return fmt.Errorf("unknown call %q: use %s", word, strings.Join(Kinds(), ", "))
		}
	}
	for _, word := range r.Program {
		if _, err := path.Match(word, ""); err != nil || word == "" {
			return fmt.Errorf("invalid pattern %q", word)
		}
	}
	for _, word := range slices.Concat(r.Flags, slices.Concat(r.AllFlags...)) {
		if len(word) < 2 || word[0] != '-' && word[0] != '+' && !strings.HasSuffix(word, "*") {
			return fmt.Errorf("invalid option %q: use -x, --word, or a pattern such as +*", word)
		}
	}
	for i, word := range slices.Concat(r.Writes, r.Paths) {
		switch isWrite := i < len(r.Writes); {
		case word == "outside", word == "root", strings.ContainsAny(word, "*/.") && strings.Count(word, "**") < 5, isWrite && word == "device":
		case isWrite:
			return fmt.Errorf("unknown file %q: use device, outside, root, or a pattern such as /etc/**", word)
		default:
			return fmt.Errorf("unknown path %q: use outside, root, or a pattern such as /etc/** or **/*.key", word)
		}
	}
	return nil
}
