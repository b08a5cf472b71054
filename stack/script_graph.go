package stack

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/tidwall/jsonc"

	"devtools/stack/line"
)

// graph classifies a task of turbo, nx or moon: by the declaration of the task, otherwise by the
// scripts of this name.
func (cl *classifier) graph(kind, name string, words []line.Word, in *invocation, at location) finding {
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
			findings = append(findings, cl.turbo(name, in, at))
		}
		return all(findings)
	case "moon":
		_, task, _ := strings.Cut(name, ":")
		return cl.guess(task, "the tasks of moon are not read", at)
	case "nx-many":
		task := in.value("-t", "--target", "--targets")
		if task == "" {
			task = name
		}
		task, _, _ = strings.Cut(task, ",")
		return cl.nx("", task, at)
	case "nx-target":
		project := ""
		if len(words) > 0 && !strings.HasPrefix(words[0].Text, "-") {
			project = words[0].Text
		}
		return cl.nx(project, name, at)
	}
	project, task, ok := strings.Cut(name, ":")
	if !ok {
		return cl.guess(name, "it names no target", at)
	}
	task, _, _ = strings.Cut(task, ":")
	return cl.nx(project, task, at)
}

// decode reads a JSON file with comments, and reports whether that succeeded.
func (cl *classifier) decode(file string, into any) bool {
	if file == "" {
		return false
	}
	text := cl.text(file, mostManifest)
	return text != nil && tooDeep(text) == nil && json.Unmarshal(jsonc.ToJSON(text), into) == nil
}

// turbo classifies a task of turbo.json.
func (cl *classifier) turbo(name string, in *invocation, at location) finding {
	type task struct {
		Persistent  *bool
		Interactive bool
	}
	var settings struct{ Tasks, Pipeline map[string]task }
	if file := cl.upward(at.dir, "turbo.json", "turbo.jsonc"); cl.decode(file, &settings) {
		for _, tasks := range []map[string]task{settings.Tasks, settings.Pipeline} {
			for key, task := range tasks {
				if task.Persistent != nil && *task.Persistent && (key == name || strings.HasSuffix(key, "#"+name)) {
					return finding{class: Server, confidence: High, resolved: true, reason: quoted(at.text) + " is declared persistent in " + cl.below(file)}
				}
			}
		}
	}
	_, script, ok := strings.Cut(name, "#")
	if !ok {
		script = name
	}
	return named(cl.everywhere("turbo", strings.TrimPrefix(script, "//"), nil, in, at), script, at)
}

// nx classifies a target of an Nx project, or of all projects.
func (cl *classifier) nx(project, target string, at location) finding {
	if file := cl.upward(at.dir, "nx.json"); file != "" {
		var all struct {
			TargetDefaults map[string]struct{ Continuous bool }
		}
		if cl.decode(file, &all) && all.TargetDefaults[target].Continuous {
			return finding{class: Server, confidence: High, resolved: true, reason: quoted(at.text) + " is declared continuous in " + cl.below(file)}
		}
		if p := cl.nxProject(filepath.Dir(file), project); p != nil && p.get(target) != nil {
			f := cl.listed(p, p.main(), target, filepath.Dir(file), at, map[string]bool{})
			if f.resolved = true; f.class != Unknown {
				return f
			}
		}
	}
	var flags []line.Word
	if project != "" {
		flags = []line.Word{{Text: "--filter"}, {Text: project}}
	}
	in := (&program{name: "nx"}).invoke(flags, false)
	return named(cl.everywhere("nx", target, nil, in, at), target, at)
}

// nxProject finds the project.json of a project by its name: among the projects of the detection,
// otherwise in the usual folders.
func (cl *classifier) nxProject(top, name string) *taskFile {
	if name == "" {
		return nil
	}
	if d := cl.detection; d != nil {
		for _, b := range d.builders {
			if b.project.Name == name && b.has("project.json") {
				return cl.tasks(filepath.Join(b.project.Root, "project.json"), parseNx)
			}
		}
	}
	for _, folder := range []string{name, "apps/" + name, "packages/" + name, "libs/" + name} {
		if p := cl.tasks(filepath.Join(top, filepath.FromSlash(folder), "project.json"), parseNx); p != nil {
			return p
		}
	}
	return nil
}
