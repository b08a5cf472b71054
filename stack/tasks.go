package stack

import (
	"encoding/json"
	"slices"
	"strings"
)

// A taskFile is a file that names tasks, as far as a parser understands it. Each format has one
// parser, which serves detection and classification.
type taskFile struct {
	path   string                     // the path of the file, set by a classifier
	object map[string]json.RawMessage // the content of a JSON file
	table  map[string]any             // the content of a TOML or YAML file
	lists  []*taskList                // most files have one list
}

// A taskParser reads a file of one format. With an error, the result has what could be read, or is
// nil.
type taskParser func(data []byte) (*taskFile, error)

// A taskList holds the tasks of one tool: scripts, targets, recipes, tasks or processes.
type taskList struct {
	what    string           // the tool's word for a task
	section string           // the section of the file, "" for none
	argv    []string         // the command that runs a task, before its name; nil if more than the name matters
	tasks   []*task          // in the order of the file, if it has one
	byName  map[string]*task // the same
	first   string           // the task that runs without a name
}

// A task is a named entry of such a file.
type task struct {
	name     string
	line     int    // its line in the file, 0 if it is unknown
	steps    []step // they run one after the other
	declared Class  // the class that the file declares, "" for none
	hidden   bool   // people do not call it
}

// A step is a line for a shell, another task of the list, or something else.
type step struct {
	line    string
	task    string
	foreign string // a function, an executor or the like, which no shell runs
	does    Class  // the class of foreign, "" if it is unknown
	sure    Confidence
}

// The limits of a file of tasks. Nobody writes that much by hand.
const (
	mostTasks = 5000 // in a list
	mostSteps = 1000 // in a task
)

func newList(what, section string, argv ...string) *taskList {
	return &taskList{what: what, section: section, argv: argv, byName: map[string]*task{}}
}

// add appends a task to the list, or replaces the task of the same name.
func (l *taskList) add(t *task) {
	if known := l.byName[t.name]; known != nil {
		*known = *t
		return
	}
	if len(l.tasks) < mostTasks {
		l.tasks = append(l.tasks, t)
		l.byName[t.name] = t
	}
}

// prune removes steps that run nothing, and steps that only name files and arguments.
func (l *taskList) prune() {
	for _, t := range l.tasks {
		t.steps = slices.DeleteFunc(t.steps, func(s step) bool { return s.line == "" && s.foreign == "" && l.byName[s.task] == nil })
	}
}

// main returns the list of a file with one list.
func (f *taskFile) main() *taskList { return f.lists[0] }

// get returns a task of the file's main list, nil if there is none with the name.
func (f *taskFile) get(name string) *task { return f.main().byName[name] }

// commands returns the lines that a task runs by itself, joined into one.
func (t *task) commands() string {
	if len(t.steps) == 1 {
		return t.steps[0].line
	}
	var lines []string
	for _, s := range t.steps {
		if s.line != "" {
			lines = append(lines, s.line)
		}
	}
	return strings.Join(lines, " && ")
}

// addAll adds the tasks of a table, in any of the forms that task runners have.
func (l *taskList) addAll(table map[string]any) *taskList {
	for _, name := range sortedKeys(table) {
		l.add(taskOf(name, table[name], table))
	}
	return l
}

func sortedKeys(table map[string]any) []string {
	names := make([]string, 0, len(table))
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// The keys of a table that say what a task runs, in the order in which it runs. Those of the second
// kind name other tasks.
var (
	runKeys  = []string{"depends", "deps", "dependencies", "cmd", "cmds", "run", "command", "script", "shell", "call", "task", "ref", "sequence", "parallel", "composite", "chain"}
	taskKeys = []string{"depends", "deps", "dependencies", "task", "ref", "sequence", "parallel", "composite", "chain"}
)

// taskOf reads a task in any of the forms that task runners have. It is a text, a list of texts, or
// a table with cmd, cmds, run, script, shell, or a sequence of other tasks in the same table.
func taskOf(name string, value any, among map[string]any) *task {
	t := &task{name: name}
	var collect func(value any, others bool, depth int)
	collect = func(value any, others bool, depth int) {
		switch x := value.(type) {
		case string:
			if _, known := among[x]; others && known {
				t.steps = append(t.steps, step{task: x})
			} else {
				t.addStep(x)
			}
		case []any:
			for _, one := range x[:min(len(x), 100)] {
				if depth < 10 {
					collect(one, others, depth+1)
				}
			}
		case map[string]any:
			if x["watch"] == true {
				t.declared = Watcher
			}
			hidden, _ := x["internal"].(bool)
			t.hidden = t.hidden || hidden
			for _, key := range runKeys {
				function, _ := x[key].(string)
				if function != "" && (key == "call" || key == "script" && strings.Contains(function, ":")) {
					t.steps = append(t.steps, step{foreign: "the function " + shorten(function)})
				} else if depth < 10 {
					collect(x[key], slices.Contains(taskKeys, key), depth+1)
				}
			}
		}
	}
	_, isList := value.([]any)
	collect(value, isList, 0)
	if len(t.steps) == 0 && t.declared == "" {
		t.steps = []step{{foreign: "what is not known here"}}
	}
	return t
}

// addStep adds a line in the form of composer and others: @ before the name of another task, or a
// PHP function.
func (t *task) addStep(text string) {
	other, at := strings.CutPrefix(text, "@")
	word, _, _ := strings.Cut(other, " ")
	switch {
	case text == "":
	case at && (word == "php" || word == "composer"):
		t.steps = append(t.steps, step{line: other})
	case at && (word == "putenv" || word == "no_additional_args" || word == "additional_args"):
	case at:
		t.steps = append(t.steps, step{task: word})
	case strings.Contains(text, "::") && !strings.ContainsAny(text, " /"):
		t.steps = append(t.steps, step{foreign: text, does: Oneshot})
	default:
		t.steps = append(t.steps, step{line: text})
	}
}

// parsePackage reads the scripts of a package.json, with their settings for wireit.
func parsePackage(data []byte) (*taskFile, error) {
	o, err := jsonObject(data, false)
	if o == nil {
		return nil, err
	}
	l := newList("script", "scripts")
	wireit := object(o["wireit"])
	for _, m := range inOrder(o["scripts"]) {
		line := text(m.value)
		t := &task{name: m.key}
		if settings := object(wireit[m.key]); settings != nil {
			if command := text(settings["command"]); command != "" && line == "wireit" {
				line = command
			}
			if service := string(settings["service"]); service != "" && service != "false" && service != "null" {
				t.declared = Server
			}
		}
		if t.steps = []step{{line: line}}; line != "" {
			l.add(t)
		}
	}
	return &taskFile{object: o, lists: []*taskList{l}}, err
}

// parseDeno reads the tasks of a deno.json.
func parseDeno(data []byte) (*taskFile, error) {
	o, err := jsonObject(data, true)
	if o == nil {
		return nil, err
	}
	return &taskFile{object: o, lists: []*taskList{jsonTasks(newList("task", "tasks", "deno", "task"), o["tasks"])}}, err
}

// parseComposer reads the scripts of a composer.json.
func parseComposer(data []byte) (*taskFile, error) {
	o, err := jsonObject(data, false)
	if o == nil {
		return nil, err
	}
	l := jsonTasks(newList("script", "scripts", "composer", "run"), o["scripts"])
	for _, t := range l.tasks { // composer runs these by itself
		t.hidden = strings.HasPrefix(t.name, "pre-") || strings.HasPrefix(t.name, "post-") || t.name == "auto-scripts"
	}
	return &taskFile{object: o, lists: []*taskList{l}}, err
}

// parseDevbox reads the scripts of a devbox.json.
func parseDevbox(data []byte) (*taskFile, error) {
	o, err := jsonObject(data, true)
	if o == nil {
		return nil, err
	}
	l := jsonTasks(newList("script", "shell.scripts", "devbox", "run"), object(o["shell"])["scripts"])
	return &taskFile{object: o, lists: []*taskList{l}}, err
}

// parseNx reads the targets of a project.json of Nx.
func parseNx(data []byte) (*taskFile, error) {
	o, err := jsonObject(data, true)
	if o == nil {
		return nil, err
	}
	l := newList("target", "targets")
	for _, m := range inOrder(o["targets"]) {
		target, t := object(m.value), &task{name: m.key}
		options, executor := object(target["options"]), text(target["executor"])
		if string(target["continuous"]) == "true" {
			t.declared = Server
		}
		lines := append(list(options["commands"]), text(target["command"]), text(options["command"]))
		for _, line := range lines {
			if line != "" {
				t.steps = append(t.steps, step{line: line})
			}
		}
		if len(t.steps) == 0 && executor != "" {
			t.steps = []step{{foreign: "the executor " + executor, does: executorClass(executor), sure: Medium}}
		}
		l.add(t)
	}
	return &taskFile{object: o, lists: []*taskList{l}}, err
}

// executorClass returns the class of an Nx executor or an Angular builder, by its name.
func executorClass(executor string) Class {
	name := executor[strings.LastIndexByte(executor, ':')+1:]
	if strings.Contains(name, "serve") || name == "node" || name == "start" || name == "storybook" {
		return Server
	}
	return nameClass(name)
}

// jsonTasks adds the tasks of a JSON object in the order of the file.
func jsonTasks(l *taskList, raw json.RawMessage) *taskList {
	var among map[string]any
	_ = json.Unmarshal(raw, &among) // another value than an object has no tasks
	for _, m := range inOrder(raw) {
		l.add(taskOf(m.key, among[m.key], among))
	}
	return l
}

// parseTaskfile reads the tasks of a Taskfile.
func parseTaskfile(data []byte) (*taskFile, error) {
	m, err := yamlMap(data)
	if m == nil {
		return nil, err
	}
	l := newList("task", "tasks", "task").addAll(tableIn(m, "tasks"))
	l.first = "default"
	return &taskFile{table: m, lists: []*taskList{l}}, err
}

// parseMise reads the tasks of a mise.toml.
func parseMise(data []byte) (*taskFile, error) {
	return parseTOML(data, func(t map[string]any) []*taskList {
		return []*taskList{newList("task", "tasks", "mise", "run").addAll(tableIn(t, "tasks"))}
	})
}

// parseCargo reads the aliases in the settings of cargo.
func parseCargo(data []byte) (*taskFile, error) {
	return parseTOML(data, func(t map[string]any) []*taskList {
		l := newList("alias", "alias", "cargo")
		for _, name := range sortedKeys(tableIn(t, "alias")) {
			line := textIn(t, "alias", name)
			if line == "" {
				line = strings.Join(textsIn(t, "alias", name), " ")
			}
			l.add(&task{name: name, steps: []step{{line: "cargo " + line}}})
		}
		return []*taskList{l}
	})
}

// parsePython reads the tables of task runners in a pyproject.toml.
func parsePython(data []byte) (*taskFile, error) {
	return parseTOML(data, func(t map[string]any) (lists []*taskList) {
		for _, tool := range []struct {
			keys []string
			argv []string
		}{
			{[]string{"tool", "poe", "tasks"}, []string{"poe"}},
			{[]string{"tool", "taskipy", "tasks"}, []string{"task"}},
			{[]string{"tool", "pdm", "scripts"}, []string{"pdm", "run"}},
			{[]string{"tool", "rye", "scripts"}, []string{"rye", "run"}},
			{[]string{"tool", "pixi", "tasks"}, []string{"pixi", "run"}},
		} {
			lists = append(lists, newList("task", strings.Join(tool.keys, "."), tool.argv...).addAll(tableIn(t, tool.keys...)))
		}
		return append(lists, hatchLists(t, "tool", "hatch", "envs")...)
	})
}

// parseHatch reads the scripts of a hatch.toml.
func parseHatch(data []byte) (*taskFile, error) {
	return parseTOML(data, func(t map[string]any) []*taskList { return hatchLists(t, "envs") })
}

// hatchLists returns the scripts of hatch's environments. The scripts of the default environment
// need no prefix.
func hatchLists(t map[string]any, keys ...string) []*taskList {
	keys = slices.Clip(keys)
	lists := []*taskList{newList("task", strings.Join(append(keys, "default", "scripts"), "."), "hatch", "run").addAll(tableIn(t, append(keys, "default", "scripts")...))}
	for _, env := range sortedKeys(tableIn(t, keys...)) {
		if env == "default" {
			continue
		}
		l := newList("task", strings.Join(append(keys, env, "scripts"), "."), "hatch", "run")
		scripts := tableIn(t, append(keys, env, "scripts")...)
		for _, name := range sortedKeys(scripts) {
			one := taskOf(name, scripts[name], scripts)
			one.name = env + ":" + name
			l.add(one)
		}
		lists = append(lists, l)
	}
	return lists
}

// parsePipfile reads the scripts of a Pipfile.
func parsePipfile(data []byte) (*taskFile, error) {
	return parseTOML(data, func(t map[string]any) []*taskList {
		return []*taskList{newList("script", "scripts", "pipenv", "run").addAll(tableIn(t, "scripts"))}
	})
}

func parseTOML(data []byte, lists func(table map[string]any) []*taskList) (*taskFile, error) {
	t, err := tomlTable(data)
	if t == nil {
		return nil, err
	}
	return &taskFile{table: t, lists: lists(t)}, err
}

// parseProcfile reads the processes of an application.
func parseProcfile(data []byte) (*taskFile, error) {
	l, n := newList("process", ""), 0
	for line := range strings.Lines(string(data)) {
		n++
		name, command, ok := strings.Cut(strings.TrimSpace(line), ":")
		if command = strings.TrimSpace(command); ok && command != "" && plainName(name) {
			l.add(&task{name: name, line: n, steps: []step{{line: command}}})
		}
	}
	return &taskFile{lists: []*taskList{l}}, nil
}

// plainName reports whether a name has only letters, digits, underscores and dashes.
func plainName(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
