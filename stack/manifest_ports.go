package stack

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

var variable = expression{text: `\$\{[A-Za-z_]\w*(?::?[-?+]([^}]*))?\}|\$[A-Za-z_]\w*`}

// interpolate replaces variables by their defaults, and those without a default by nothing.
func interpolate(text string) string { return variable.get().ReplaceAllString(text, "$1") }

// publishedPorts returns the ports of the machine that an entry of ports opens.
func publishedPorts(entry any) []int {
	switch e := entry.(type) {
	case int:
		return nil // a port of the container, published on any port of the machine
	case map[string]any:
		if textIn(e, "protocol") == "udp" {
			return nil // no program listens on them
		}
		return onePort(strings.TrimSpace(interpolate(textOf(e["published"]))))
	case string:
		text, protocol, _ := strings.Cut(interpolate(e), "/")
		parts := strings.Split(text, ":")
		if len(parts) < 2 || protocol == "udp" {
			return nil
		}
		return onePort(parts[len(parts)-2])
	}
	return nil
}

func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	}
	return ""
}

// onePort reads a port, or the first port of a range.
func onePort(text string) []int {
	text, _, _ = strings.Cut(text, "-")
	if port, err := strconv.Atoi(text); err == nil && 0 < port && port < 65536 {
		return []int{port}
	}
	return nil
}

func devcontainer(b *builder, f file) error {
	o, err := jsonObject(f.data, true)
	var ports []json.RawMessage
	_ = json.Unmarshal(o["forwardPorts"], &ports) // a missing value has no ports
	for _, raw := range ports {
		number := strings.Trim(string(raw), `"`)
		if _, after, ok := strings.Cut(number, ":"); ok {
			number = after
		}
		for _, port := range onePort(number) {
			b.notePort(Port{Port: port, Source: "declared", Evidence: f.at(Declared, "forwardPorts", `"forwardPorts"`)})
		}
	}
	return err
}

// vscodeTasks reads the tasks of the editor that run in the background.
func vscodeTasks(b *builder, f file) error {
	o, err := jsonObject(f.data, true)
	var tasks []map[string]json.RawMessage
	_ = json.Unmarshal(o["tasks"], &tasks) // a missing value has no tasks
	for _, t := range tasks {
		command, label := text(t["command"]), text(t["label"])
		if command == "" || strings.Contains(command, "${") {
			continue
		}
		kind := ""
		if string(t["isBackground"]) == "true" {
			kind = "dev"
		}
		argv := append(strings.Fields(command), list(t["args"])...)
		b.addScript(script{from: "vscode", name: label, kind: kind, line: strings.Join(argv, " "), argv: argv, source: f.at(Declared, "tasks", `"label"`, `"`+label+`"`)})
	}
	return err
}

func launchSettings(b *builder, f file) error {
	o, err := jsonObject(f.data, true)
	profiles := object(o["profiles"])
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		for address := range strings.SplitSeq(text(object(profiles[name])["applicationUrl"]), ";") {
			if i := strings.LastIndexByte(address, ':'); i > 5 {
				for _, port := range onePort(strings.TrimRight(address[i+1:], "/")) {
					b.notePort(Port{Port: port, Source: "config", Evidence: f.at(Declared, "profiles."+name+".applicationUrl", `"`+name+`"`, "applicationUrl")})
				}
			}
		}
	}
	return err
}

func springProperties(b *builder, f file) error {
	n := 0
	for line := range strings.Lines(string(f.data)) {
		n++
		key, value, _ := strings.Cut(line, "=")
		switch key = strings.TrimSpace(key); key {
		case "server.port", "quarkus.http.port", "micronaut.server.port":
			for _, port := range onePort(springDefault(strings.TrimSpace(value))) {
				b.notePort(Port{Port: port, Source: "config", Evidence: Evidence{File: f.path, Line: n, Key: key, Rank: Declared}})
			}
		}
	}
	return nil
}

// springDefault returns the default of a variable: ${PORT:8080}.
func springDefault(value string) string {
	if inner, ok := strings.CutPrefix(value, "${"); ok {
		_, value, _ = strings.Cut(strings.TrimSuffix(inner, "}"), ":")
	}
	return value
}

func springYAML(b *builder, f file) error {
	data, _, _ := bytes.Cut(f.data, []byte("\n---"))
	m, err := yamlMap(data)
	for _, keys := range [][]string{{"server", "port"}, {"micronaut", "server", "port"}, {"quarkus", "http", "port"}, {"ktor", "deployment", "port"}} {
		for _, port := range onePort(springDefault(textOf(in(m, keys...)))) {
			b.notePort(Port{Port: port, Source: "config", Evidence: f.at(Declared, strings.Join(keys, "."), "port:")})
		}
	}
	return err
}

// portInServer finds the port in the settings of a server. The settings are code, which is not run.
var portInServer = expression{text: `\b(?:server|devServer)\s*:\s*\{[^{}]*?(?:\{[^{}]*\}[^{}]*?)*\bport\s*:\s*(?:(?:Number|parseInt)\()?(?:[\w.]+\)?\s*(?:\|\||\?\?)\s*)?["']?(\d{2,5})\b`}

func scriptPort(b *builder, f file) error {
	if m := portInServer.get().FindSubmatchIndex(f.data); m != nil {
		for _, port := range onePort(string(f.data[m[2]:m[3]])) {
			line := 1 + bytes.Count(f.data[:m[2]], []byte("\n"))
			b.notePort(Port{Port: port, Source: "config", Evidence: Evidence{File: f.path, Line: line, Key: "server.port", Rank: Declared}})
		}
	}
	return nil
}

// envFile reads the ports in a file of environment variables. It keeps no other variable, because it
// may be a secret.
func envFile(b *builder, f file) error {
	n := 0
	for line := range strings.Lines(string(f.data)) {
		n++
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if !ok || !strings.Contains(name, "PORT") || strings.HasPrefix(name, "#") {
			continue
		}
		for _, port := range onePort(strings.Trim(strings.TrimSpace(value), `"'`)) {
			b.env[strings.TrimSpace(name)] = Port{Port: port, Source: "env", Evidence: Evidence{File: f.path, Line: n, Key: strings.TrimSpace(name), Rank: Declared}}
		}
	}
	return nil
}
