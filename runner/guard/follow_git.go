package guard

import (
	"slices"
	"strings"
)

// aliases returns the commands in the settings that a git command gives: aliases, pagers, editors.
func (x *invocation) aliases() (starts []start) {
	if x.names[0] != "git" {
		return nil
	}
	for _, o := range x.options {
		if o.name != "-c" || !o.valid {
			continue
		}
		key, value, _ := strings.Cut(o.value, "=")
		starts = append(starts, x.setting(key, value)...)
	}
	if len(x.operands) > 2 && x.operands[0] == "config" {
		words := x.operands[1:]
		if words[0] == "set" {
			words = words[1:]
		}
		if len(words) > 1 {
			starts = append(starts, x.setting(words[0], words[1])...)
		}
	}
	for _, operand := range x.operands {
		if text, ok := strings.CutPrefix(operand, "ext::"); ok {
			starts = append(starts, x.aside(x.lineOf(text, nil, nil)))
		}
	}
	return starts
}

// commandSettings are the settings of git whose values are lines for a shell.
const commandSettings = " core.pager core.editor core.sshcommand core.fsmonitor core.askpass core.gitproxy sequence.editor diff.external " +
	"credential.helper gpg.program uploadpack.packobjectshook "

// setting returns the command in a setting of git.
func (x *invocation) setting(key, value string) []start {
	key = strings.ToLower(key)
	name, isAlias := strings.CutPrefix(key, "alias.")
	switch {
	case strings.HasPrefix(value, "!"):
		return []start{x.lineOf(value[1:], nil, x.command.Input)}
	case isAlias && len(x.operands) > 0 && x.operands[0] == name:
		words := append([]string{"git"}, strings.Fields(value)...)
		return []start{x.startOf(append(words, x.words[x.places[0]+1:]...), nil)}
	case isAlias && slices.Contains(x.operands, "config"):
		return []start{x.startOf(append([]string{"git"}, strings.Fields(value)...), nil)}
	case strings.Contains(commandSettings, " "+key+" ") || strings.HasPrefix(key, "pager.") || strings.HasSuffix(key, ".cmd") ||
		strings.HasPrefix(key, "filter.") || strings.HasSuffix(key, ".command") || strings.HasSuffix(key, ".textconv"):
		return []start{x.aside(x.lineOf(value, nil, nil))}
	}
	return nil
}
