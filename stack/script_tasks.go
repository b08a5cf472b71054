package stack

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"devtools/stack/line"
)

// task classifies a task of a file that lists tasks by name.
func (j *judge) task(kind, name string, words []line.Word, in *invocation, args []line.Word, next int, at spot) finding {
	switch kind {
	case "just":
		at.dir = within(at.dir, in.value("-d", "--working-directory"))
		file, text := j.upward(at.dir, "justfile", "Justfile", ".justfile")
		if file == "" {
			return j.guess(name, "there is no justfile", at)
		}
		recipes, first := readJustfile(string(text))
		if name == "" {
			if name = "default"; recipes[name] == nil {
				name = first
			}
		}
		return j.justfile(name, filepath.Dir(file), recipes, at, nil)
	case "task":
		at.dir = within(at.dir, in.value("-d", "--dir"))
		if name == "" {
			name = "default"
		}
		file, text := j.upward(at.dir, "Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml")
		var list struct{ Tasks map[string]any }
		if file == "" || yaml.Unmarshal(text, &list) != nil {
			return j.guess(name, "there is no Taskfile that can be read", at)
		}
		return j.listed(name, list.Tasks, filepath.Dir(file), at, nil)
	case "mise":
		file, text := j.upward(at.dir, "mise.toml", ".mise.toml", "mise/config.toml", ".config/mise.toml")
		return j.tomlTask(name, file, text, at, func(t map[string]any) any { return t["tasks"] })
	case "cargo":
		if strings.HasPrefix(name, "+") && len(words) > 0 {
			return j.call(args, next, at, "cargo")
		}
		file, text := j.upward(at.dir, ".cargo/config.toml", ".cargo/config")
		f := j.tomlTask(name, file, text, at, func(t map[string]any) any { return t["alias"] })
		if f.class == Unknown && name != "xtask" {
			return named(f, name, at)
		}
		return f
	case "devbox":
		return j.jsonTask(name, "devbox.json", args, next, at, func(t map[string]any) any {
			shell, _ := t["shell"].(map[string]any)
			return shell["scripts"]
		})
	case "composer":
		return j.jsonTask(name, "composer.json", args, next, at, func(t map[string]any) any { return t["scripts"] })
	}
	return j.pythonTask(name, in, args, next, at)
}

// tomlTask classifies a task that a table of a TOML file has.
func (j *judge) tomlTask(name, file string, text []byte, at spot, table func(map[string]any) any) finding {
	var all map[string]any
	if file == "" || toml.Unmarshal(text, &all) != nil {
		return j.guess(name, "there is no file with tasks that can be read", at)
	}
	tasks, _ := table(all).(map[string]any)
	dir := filepath.Dir(file)
	switch filepath.Base(dir) {
	case ".cargo", ".config", "mise":
		dir = filepath.Dir(dir)
	}
	if alias, ok := tasks[name].(string); ok && strings.Contains(file, ".cargo") {
		return j.follow(file+" "+name, "cargo "+alias, dir, at)
	}
	if alias := texts(tasks[name]); len(alias) > 0 && strings.Contains(file, ".cargo") {
		return j.follow(file+" "+name, "cargo "+strings.Join(alias, " "), dir, at)
	}
	return j.listed(name, tasks, dir, at, nil)
}

// jsonTask classifies a task that an object of a JSON file has.
func (j *judge) jsonTask(name, file string, args []line.Word, next int, at spot, table func(map[string]any) any) finding {
	path, text := j.upward(at.dir, file)
	var all map[string]any
	if path == "" || json.Unmarshal(text, &all) != nil {
		return j.guess(name, "there is no "+file+" that can be read", at)
	}
	tasks, _ := table(all).(map[string]any)
	if tasks[name] == nil && file == "devbox.json" && next < len(args) {
		return j.call(args, next, at, "")
	}
	return j.listed(name, tasks, filepath.Dir(path), at, nil)
}

// listed classifies a task of a list, in any of the forms that task runners have: a text, a list of them, or a table with
// cmd, cmds, run, script, shell, or a sequence of other tasks.
func (j *judge) listed(name string, tasks map[string]any, dir string, at spot, seen []string) finding {
	task := tasks[name]
	if task == nil || slices.Contains(seen, name) || len(seen) > 20 {
		return named(unknown(quoted(at.text)+": there is no task "+name), name, at)
	}
	seen = append(seen, name)
	var findings []finding
	var collect func(value any, others bool)
	run := func(text string) {
		if other, ok := strings.CutPrefix(text, "@"); ok { // composer
			word, _, _ := strings.Cut(other, " ")
			switch word {
			case "php", "composer":
				text = other
			case "putenv", "no_additional_args", "additional_args":
				return
			default:
				findings = append(findings, j.listed(word, tasks, dir, at, seen))
				return
			}
		}
		if strings.Contains(text, "::") && !strings.ContainsAny(text, " /") { // a PHP function
			findings = append(findings, finding{class: Oneshot, confidence: Low, reason: quoted(at.text) + " calls " + cut(text)})
			return
		}
		findings = append(findings, j.follow(dir+" "+name+" "+text, strings.NewReplacer("{{", "${", "}}", "}").Replace(cleanTemplate(text)), dir, at))
	}
	collect = func(value any, others bool) {
		switch x := value.(type) {
		case string:
			if others && tasks[x] != nil {
				findings = append(findings, j.listed(x, tasks, dir, at, seen))
			} else if x != "" {
				run(x)
			}
		case []any:
			for _, one := range x[:min(len(x), 100)] {
				collect(one, others)
			}
		case map[string]any:
			if x["watch"] == true {
				findings = append(findings, finding{class: Watcher, confidence: High, reason: quoted(at.text) + " is declared to watch"})
			}
			for _, key := range []string{"depends", "deps", "cmd", "cmds", "run", "command", "script", "shell", "call", "task", "ref", "sequence", "parallel", "composite", "chain"} {
				value := x[key]
				if key == "call" || key == "script" && strings.Contains(textOf(value), ":") {
					continue // a Python function
				}
				collect(value, slices.Contains([]string{"depends", "deps", "task", "ref", "sequence", "parallel", "composite", "chain"}, key))
			}
		}
	}
	_, isList := task.([]any)
	collect(task, isList)
	if len(findings) == 0 {
		return named(unknown(quoted(at.text)+": what the task "+name+" runs is not known"), name, at)
	}
	for i := range findings[:len(findings)-1] {
		findings[i] = waited(findings[i], name)
	}
	f := named(all(findings), name, at)
	f.bounded = ""
	return f
}

// cleanTemplate puts a plain variable in place of each template of a task runner.
func cleanTemplate(text string) string {
	for range 50 {
		before, rest, ok := strings.Cut(text, "{{")
		_, after, closed := strings.Cut(rest, "}}")
		if !ok || !closed {
			break
		}
		text = before + "${TEMPLATE}" + after
	}
	return text
}

// pythonTask classifies what poe, pdm, hatch, taskipy, pipenv and uv run: a task of the project, else a program.
func (j *judge) pythonTask(name string, in *invocation, args []line.Word, next int, at spot) finding {
	file, text := j.upward(at.dir, "pyproject.toml")
	var project struct {
		Project struct{ Scripts map[string]string }
		Tool    struct {
			Poe     struct{ Tasks map[string]any }
			Taskipy struct{ Tasks map[string]any }
			PDM     struct{ Scripts map[string]any }
			Rye     struct{ Scripts map[string]any }
			Pixi    struct{ Tasks map[string]any }
			Hatch   struct {
				Envs map[string]struct{ Scripts map[string]any }
			}
		}
	}
	readable := file != "" && toml.Unmarshal(text, &project) == nil
	tables := []map[string]any{project.Tool.Poe.Tasks, project.Tool.Taskipy.Tasks, project.Tool.PDM.Scripts, project.Tool.Rye.Scripts, project.Tool.Pixi.Tasks}
	if env, task, ok := strings.Cut(name, ":"); ok && project.Tool.Hatch.Envs[env].Scripts[task] != nil {
		name = task
		tables = []map[string]any{project.Tool.Hatch.Envs[env].Scripts}
	} else {
		tables = append(tables, project.Tool.Hatch.Envs["default"].Scripts)
	}
	if in.name == "pipenv-run" {
		pipfile, text := j.upward(at.dir, "Pipfile")
		var pipenv struct{ Scripts map[string]any }
		if pipfile != "" && toml.Unmarshal(text, &pipenv) == nil {
			file, tables = pipfile, append(tables, pipenv.Scripts)
		}
	}
	for _, tasks := range tables {
		if tasks[name] != nil {
			return j.listed(name, tasks, filepath.Dir(file), at, nil)
		}
	}
	if in.name == "poe" || in.name == "poethepoet" || in.name == "taskipy" {
		if readable {
			return unknown(quoted(at.text) + ": " + j.below(file) + " has no task " + name)
		}
		return j.guess(name, "there is no pyproject.toml", at)
	}
	return j.call(args, next, at, "")
}

// procfile classifies the processes of a Procfile.
func (j *judge) procfile(in *invocation, names []line.Word, at spot) finding {
	file := in.value("-f", "--procfile")
	if file == "" {
		file = "Procfile"
	}
	dir := within(at.dir, in.value("-d", "--root"))
	declared := finding{class: Server, confidence: Medium, reason: quoted(at.text) + " starts what its file lists, and stays with it", port: in.port()}
	if dir == "" || !slices.Contains([]string{"foreman", "overmind", "hivemind", "honcho", "goreman", "nf", "shoreman", "forego"}, in.name) {
		return declared
	}
	text := j.read(filepath.Join(dir, file), mostManifest)
	if text == nil {
		return declared
	}
	var findings []finding
	for l := range strings.Lines(string(text)) {
		name, command, ok := strings.Cut(strings.TrimSpace(l), ":")
		wanted := len(names) == 0 || slices.ContainsFunc(names, func(w line.Word) bool { return w.Text == name })
		if ok && wanted && !strings.HasPrefix(name, "#") && len(findings) < 50 {
			findings = append(findings, j.follow(dir+" procfile "+name, strings.TrimSpace(command), dir, at))
		}
	}
	if len(findings) == 0 {
		return declared
	}
	if f := all(findings); f.class == Server || f.class == Watcher {
		f.confidence = max(f.confidence, Medium)
		f.bounded = ""
		return f
	}
	return declared
}
