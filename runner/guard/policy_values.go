package guard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkValues reports the first value of a policy file that has a wrong type, in the words of the file's format. The decoder
// would name types of Go, take numbers for texts, and Pty for pty.
func checkValues(file map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(file)) {
		switch table, isTable := file[key].(map[string]any); {
		case key == "pty" && isTable:
			for _, name := range slices.Sorted(maps.Keys(table)) {
				if _, ok := table[name].(string); !ok {
					return fmt.Errorf(`%s must be "allow", "confirm" or "deny"`, name)
				}
				if small := strings.ToLower(name); name != small {
					return fmt.Errorf("unknown key %q: use %s", name, small)
				}
			}
		case key == "isolation" && isTable:
			for name, value := range table {
				if _, ok := value.(string); !ok && !isTexts(value) {
					return fmt.Errorf(`%s must be a text or a list of texts`, name)
				}
			}
		case key == "rule":
			rules, _ := file[key].([]any)
			for _, one := range rules {
				rule, _ := one.(map[string]any)
				if err := checkRule(rule); err != nil {
					return err
				}
			}
		case key != strings.ToLower(key):
			return fmt.Errorf("unknown key %q: use %s", key, strings.ToLower(key))
		}
	}
	return nil
}

// checkRule is checkValues for one rule.
func checkRule(rule map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(rule)) {
		value := rule[key]
		ok, form := true, ""
		switch key {
		case "name", "action", "reason":
			_, ok = value.(string)
			form = `a text: %s = "..."`
		case "calls", "program", "subcommand", "flags", "paths", "writes":
			ok, form = isTexts(value), `a list of texts: %s = ["..."]`
		case "all_flags":
			groups, isList := value.([]any)
			ok = isList && !slices.ContainsFunc(groups, func(group any) bool { return !isTexts(group) })
			form = `a list of lists: %s = [["-r", "-R"], ["-f"]]`
		case "reads_pipe":
			_, ok = value.(bool)
			form = "true or false: %s = true"
		default:
			if small := strings.ToLower(key); key != small {
				return fmt.Errorf("unknown key %q: use %s", key, small)
			}
		}
		if !ok {
			return fmt.Errorf("%s must be "+form, key, key)
		}
	}
	return nil
}

// isTexts reports whether a value is a list of texts.
func isTexts(value any) bool {
	list, ok := value.([]any)
	return ok && !slices.ContainsFunc(list, func(one any) bool { _, ok := one.(string); return !ok })
}
