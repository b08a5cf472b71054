package stack

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/tidwall/jsonc"

	"devtools/stack/line"
)

// graph classifies a task of turbo, nx or moon: what the task is declared to be, else the scripts of this name.
func (j *judge) graph(kind, name string, words []line.Word, in *invocation, at spot) finding {
	at.dir = within(at.dir, in.value("--cwd"))
	switch kind {
	case "turbo":
		names := []string{name}
		for _, word := range words {
			if word.Text == "--" {
				break
			}
			if !strings.HasPrefix(word.Text, "-") {
				names = append(names, word.Text)
			}
		}
		var findings []finding
		for _, name := range names {
			findings = append(findings, j.turbo(name, in, at))
		}
		return all(findings)
	case "moon":
		_, task, _ := strings.Cut(name, ":")
		return j.guess(task, "the tasks of moon are not read", at)
	case "nx-many":
		task := in.value("-t", "--target", "--targets")
		if task == "" {
			task = name
		}
		task, _, _ = strings.Cut(task, ",")
		return j.nx("", task, at)
	case "nx-target":
		project := ""
		if len(words) > 0 && !strings.HasPrefix(words[0].Text, "-") {
			project = words[0].Text
		}
		return j.nx(project, name, at)
	}
	project, task, ok := strings.Cut(name, ":")
	if !ok {
		return j.guess(name, "it names no target", at)
	}
	task, _, _ = strings.Cut(task, ":")
	return j.nx(project, task, at)
}

// decode reads a file of JSON with comments, and reports whether it could.
func (j *judge) decode(file string, into any) bool {
	if file == "" {
		return false
	}
	text := j.text(file, mostManifest)
	return text != nil && tooDeep(text) == nil && json.Unmarshal(jsonc.ToJSON(text), into) == nil
}

// turbo classifies a task of turbo.json.
func (j *judge) turbo(name string, in *invocation, at spot) finding {
	type task struct {
		Persistent  *bool
		Interactive bool
	}
	var settings struct{ Tasks, Pipeline map[string]task }
	if file := j.upward(at.dir, "turbo.json", "turbo.jsonc"); j.decode(file, &settings) {
		for _, tasks := range []map[string]task{settings.Tasks, settings.Pipeline} {
			for key, task := range tasks {
				if task.Persistent != nil && *task.Persistent && (key == name || strings.HasSuffix(key, "#"+name)) {
					return finding{class: Server, confidence: High, resolved: true, reason: quoted(at.text) + " is declared persistent in " + j.below(file)}
				}
			}
		}
	}
	_, script, ok := strings.Cut(name, "#")
	if !ok {
		script = name
	}
	return named(j.everywhere("turbo", strings.TrimPrefix(script, "//"), nil, in, at), script, at)
}

// nx classifies a target of an nx project, or of all.
func (j *judge) nx(project, target string, at spot) finding {
	type settings struct {
		Continuous *bool
		Executor   string
		Command    string
		Options    struct {
			Command string
			Watch   bool
		}
	}
	judge := func(s settings) (finding, bool) {
		executor := s.Executor[strings.LastIndexByte(s.Executor, ':')+1:]
		command := s.Command
		if command == "" {
			command = s.Options.Command
		}
		switch {
		case s.Continuous != nil && *s.Continuous:
			return finding{class: Server, confidence: High, resolved: true, reason: quoted(at.text) + " is declared continuous by nx"}, true
		case command != "":
			return j.follow("nx "+project+" "+target, command, at.dir, at), true
		case executor == "" || executor == "run-commands":
			return finding{}, false
		case strings.Contains(executor, "serve") || executor == "node" || executor == "start" || executor == "storybook":
			return finding{class: Server, confidence: Medium, resolved: true, reason: quoted(at.text) + " has the executor " + s.Executor}, true
		}
		class := nameClass(executor)
		return finding{class: class, confidence: Medium, resolved: true, reason: quoted(at.text) + " has the executor " + s.Executor}, class != Unknown
	}
	if file := j.upward(at.dir, "nx.json"); file != "" {
		var all struct{ TargetDefaults map[string]settings }
		if j.decode(file, &all) {
			if s, ok := all.TargetDefaults[target]; ok && s.Continuous != nil && *s.Continuous {
				f, _ := judge(s)
				return f
			}
		}
		if project != "" {
			for _, folder := range []string{project, "apps/" + project, "packages/" + project, "libs/" + project} {
				var p struct{ Targets map[string]settings }
				if !j.decode(filepath.Join(filepath.Dir(file), filepath.FromSlash(folder), "project.json"), &p) {
					continue
				}
				if f, ok := judge(p.Targets[target]); ok {
					return f
				}
			}
		}
	}
	in := (&program{name: "nx"}).invoke(nil, false)
	if project != "" {
		in = (&program{name: "nx"}).invoke([]line.Word{{Text: "--filter"}, {Text: project}}, false)
	}
	return named(j.everywhere("nx", target, nil, in, at), target, at)
}
