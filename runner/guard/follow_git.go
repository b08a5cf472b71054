package guard

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"devtools/stack/files"
	"devtools/stack/line"
)

// aliases returns the commands in the settings of git: those that a command gives, and those of the configuration files:
// aliases, pagers, editors, hooks.
func (x *invocation) aliases() (starts []start) {
	if x.names[0] != "git" {
		return nil
	}
	var given []setting
	for _, o := range x.options {
		if (o.name == "-c" || o.name == "--config") && o.valid {
			given = append(given, newSetting(o.value))
		}
	}
	for i := 0; i < mostGiven; i++ {
		keys, values := x.command.Own(fmt.Sprintf("GIT_CONFIG_KEY_%d", i)), x.command.Own(fmt.Sprintf("GIT_CONFIG_VALUE_%d", i))
		if len(keys) == 0 || len(values) == 0 {
			break
		}
		given = append(given, newSetting(keys[0]+"="+values[0]))
	}
	for _, text := range x.command.Own("GIT_CONFIG_PARAMETERS") {
		for _, one := range splitQuoted(text) {
			given = append(given, newSetting(one))
		}
	}
	for _, s := range given {
		starts = append(starts, x.setting(s)...)
	}
	for _, s := range x.judge.settings {
		starts = append(starts, x.changed(s)...)
	}
	if len(x.operands) > 0 {
		starts = append(starts, x.configured(hookFolders(given), hookFolders(x.judge.settings))...)
	}
	if len(x.operands) > 2 && x.operands[0] == "config" {
		words := x.operands[1:]
		if words[0] == "set" {
			words = words[1:]
		}
		if len(words) > 1 {
			s := newSetting(words[0] + "=" + words[1])
			starts = append(starts, x.setting(s)...)
			if x.judge.settings = append(x.judge.settings, s); len(x.judge.settings) > mostGiven {
				x.judge.unknown("it changes too many settings of git")
				x.judge.settings = x.judge.settings[:0]
			}
		}
	}
	for _, operand := range x.operands {
		if text, ok := strings.CutPrefix(operand, "ext::"); ok {
			starts = append(starts, x.aside(x.lineOf(text, nil, nil)))
		}
	}
	return starts
}

// mostGiven is the most settings of git that variables or commands of a line may give.
const mostGiven = 20

// A setting is one of git's settings.
type setting struct{ key, value string } // the key with small letters

// newSetting returns the setting of KEY=VALUE.
func newSetting(text string) setting {
	key, value, _ := strings.Cut(text, "=")
	return setting{strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)}
}

// setting returns the commands in a setting of git that a command gives.
func (x *invocation) setting(s setting) []start {
	name, isAlias := strings.CutPrefix(s.key, "alias.")
	settings, _ := known("git/settings")
	switch {
	case isAlias && slices.Contains(x.operands, "config"):
		if strings.HasPrefix(s.value, "!") {
			return []start{x.lineOf(s.value[1:], nil, x.command.Input)}
		}
		return []start{x.startOf(append([]string{"git"}, strings.Fields(s.value)...), nil)}
	case isAlias && x.operands != nil && x.operands[0] != name:
		return nil
	case settings.names("line", s.key), slices.ContainsFunc(settings.lists["begins"], func(w string) bool { return strings.HasPrefix(s.key, w) }),
		slices.ContainsFunc(settings.lists["ends"], func(w string) bool { return strings.HasSuffix(s.key, w) }):
		return []start{x.aside(x.lineOf(strings.TrimPrefix(s.value, "!"), nil, nil))}
	}
	return x.changed(s)
}

// changed returns the command that a command of git becomes by a setting: by an alias, or by what is pushed to a remote.
func (x *invocation) changed(s setting) []start {
	remote := "origin"
	if len(x.operands) > 1 {
		remote = x.operands[1]
	}
	switch {
	case len(x.operands) == 0:
	case s.key == "alias."+strings.ToLower(x.operands[0]) && strings.HasPrefix(s.value, "!"):
		return []start{x.lineOf(s.value[1:]+" "+line.Quote(x.words[x.places[0]+1:]), nil, x.command.Input)}
	case s.key == "alias."+strings.ToLower(x.operands[0]):
		if words := strings.Fields(s.value); len(words) > 0 && words[0] != x.operands[0] {
			return []start{x.again(append(words, x.words[x.places[0]+1:]...))}
		}
	case x.operands[0] == "push" && len(x.operands) < 3 && s.key == "remote."+strings.ToLower(remote)+".push":
		return []start{x.again([]string{"push", remote, s.value})}
	case x.operands[0] == "push" && s.key == "remote."+strings.ToLower(remote)+".mirror" && s.value != "false" &&
		!slices.ContainsFunc(x.options, func(o option) bool { return o.name == "--mirror" }):
		return []start{x.again([]string{"push", "--mirror", remote})}
	}
	return nil
}

// again returns the same command of git with other words behind its settings.
func (x *invocation) again(words []string) start {
	all := []string{"git"}
	for _, o := range x.options {
		if o.name == "-c" && o.valid && o.place < x.places[0] {
			all = append(all, "-c", o.value)
		}
	}
	return x.startOf(append(all, words...), nil)
}

// hookFolders returns the folders of hooks that settings of git name.
func hookFolders(settings []setting) (folders []string) {
	for _, s := range settings {
		if s.key == "core.hookspath" {
			folders = append(folders, s.value)
		}
	}
	return folders
}

// configured returns the commands that come from the configuration of the repository and of the user, and from hooks. given are
// their folders that the command names itself, and set those that commands of the line have set before, which may fail.
func (x *invocation) configured(given, set []string) (starts []start) {
	dir, home, folder := x.judge.resolve(x.inFolder(), true), x.command.Value("HOME")[0], ""
	if !path.IsAbs(x.inFolder()) || strings.ContainsAny(dir, line.Signs) {
		return nil
	}
	if !path.IsAbs(home) {
		home = ""
	}
	gitDir := files.GitSettings(dir, home, func(key, value string) {
		if key == "core.hookspath" {
			folder = value
		}
		starts = append(starts, x.changed(setting{strings.ToLower(key), value})...)
	})
	if gitDir != "" {
		folder = cmp.Or(folder, path.Join(filepath.ToSlash(gitDir), "hooks"))
	}
	folders := given
	if len(given) == 0 {
		folders = append(set, folder)
	}
	if !x.table.has("hooks") && x.operands[0] != "hook" {
		return starts
	}
	names := strings.Split(x.table.words["hooks"], ",")
	if len(x.operands) > 2 && x.operands[0] == "hook" { // git hook run NAME
		names = x.operands[2:3]
	}
	unverified := x.unverified()
	for _, folder := range slices.Compact(folders) {
		if folder == "" {
			continue
		}
		if !path.IsAbs(folder) {
			folder = path.Join(dir, folder)
		}
		for _, name := range names {
			if unverified && !strings.HasPrefix(name, "prepare-") && !strings.HasPrefix(name, "post-") {
				continue
			}
			if hook := path.Join(folder, name); x.command.Made(hook) || isFile(x.judge.onDiskAs(hook)) {
				starts = append(starts, x.startOf([]string{hook}, nil))
			}
		}
	}
	return starts
}

// unverified reports whether it is certain that git executes no hooks that could refuse, such as pre-commit: --no-verify in githooks(5).
func (x *invocation) unverified() (is bool) {
	sub, _ := known("git/" + x.operands[0])
	if strings.ContainsAny(strings.Join(x.operands, ""), line.Signs) {
		return false
	}
	for _, o := range x.options {
		switch before := x.words[max(o.place, 1)-1]; {
		case o.place < x.places[0]:
		case strings.HasPrefix(o.name, "--v") && strings.HasPrefix("--verify", o.name), strings.HasPrefix(o.name, "--no-no"), strings.ContainsAny(o.name, line.Signs):
			is = false
		case x.table.names("unverified", o.name): // not the value of an option that is abbreviated
			is = true
			for option := range sub.values {
				is = is && (option == before || !strings.HasPrefix(before, "--") || !strings.HasPrefix(option, before))
			}
		}
	}
	return is
}
