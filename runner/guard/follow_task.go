package guard

import (
	"encoding/json"
	"path"

	"devtools/stack/line"
)

// tasks returns the commands of scripts in package.json and of targets in a makefile.
func (x *invocation) tasks() []start {
	switch x.names[0] {
	case "npm", "pnpm", "yarn", "bun":
		return x.packageScripts()
	case "make", "gmake":
		return x.recipes()
	}
	return nil
}

// packageScripts returns the scripts of package.json that a package manager runs.
func (x *invocation) packageScripts() (starts []start) {
	if len(x.operands) == 0 {
		return nil
	}
	name, rest := x.operands[0], x.operands[1:]
	var names []string
	switch {
	case (name == "run" || name == "run-script") && len(rest) > 0:
		name, rest = rest[0], rest[1:]
		names = []string{"pre" + name, name, "post" + name}
	case name == "install" || name == "i" || name == "ci":
		names = []string{"preinstall", "install", "postinstall", "prepare"}
	default:
		names = []string{"pre" + name, name, "post" + name}
	}
	text, ok := x.judge.text(x.judge.onDiskAs(path.Join(x.inFolder(), "package.json")))
	if !ok {
		return nil
	}
	var file struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(text), &file) != nil {
		return nil
	}
	for _, one := range names {
		script := file.Scripts[one]
		if script == "" {
			continue
		}
		if one == name {
			script += " " + line.Quote(rest)
		}
		starts = append(starts, x.fromDisk(x.lineOf(script, nil, nil)))
	}
	return starts
}

// inFolder returns the folder in which a command starts others, from the root.
func (x *invocation) inFolder() string { return x.command.Absolute(x.folder()) }
