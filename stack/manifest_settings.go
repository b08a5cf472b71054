package stack

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
)

// portSetting returns a reader of files in which an expression finds the port.
func portSetting(key, text string) manifestReader {
	e := expression{text: text}
	return func(b *builder, f file) error {
		m := e.get().FindSubmatchIndex(f.data)
		for i := 2; i < len(m); i += 2 {
			if m[i] < 0 {
				continue
			}
			for _, port := range onePort(string(f.data[m[i]:m[i+1]])) {
				b.notePort(Port{Port: port, Source: "config", Evidence: f.at(Declared, key, string(f.data[m[0]:m[1]]))})
			}
		}
		return nil
	}
}

// tauriConf reads which package manager starts the front end, and where it listens.
func tauriConf(b *builder, f file) error {
	o, err := jsonObject(f.data, true)
	build := object(o["build"])
	command := text(build["beforeDevCommand"])
	if command == "" {
		command = text(object(build["beforeDevCommand"])["script"])
	}
	if name, _, _ := strings.Cut(command, " "); managerOf(name) != "" || name == "bun" || name == "deno" {
		b.allowedManager(name, f.at(Config, "build.beforeDevCommand", `"beforeDevCommand"`))
	}
	for _, key := range []string{"devUrl", "devPath"} {
		if u, err := url.Parse(text(build[key])); err == nil {
			for _, port := range onePort(u.Port()) {
				b.notePort(Port{Port: port, Source: "config", Evidence: f.at(Declared, "build."+key, `"`+key+`"`)})
			}
		}
	}
	return err
}

// nxProject reads the targets of an Nx project. Nx runs them by the name of the project and of the
// target.
func nxProject(b *builder, f file) error {
	t, err := b.tasks(f, parseNx)
	if t == nil {
		return err
	}
	name := text(t.object["name"])
	b.setName(name)
	if name == "" {
		return err
	}
	targets := object(t.object["targets"])
	for _, one := range t.main().tasks {
		target := object(targets[one.name])
		source := f.at(Declared, "targets."+one.name, `"targets"`, `"`+one.name+`"`)
		line := one.commands()
		if line == "" {
			line = text(target["executor"])
		}
		b.addScript(script{from: "nx", name: one.name, line: line, argv: []string{"nx", "run", name + ":" + one.name}, source: source})
		var port int
		if (one.name == "serve" || one.name == "dev") && json.Unmarshal(object(target["options"])["port"], &port) == nil && 0 < port && port < 65536 {
			b.notePort(Port{Port: port, Source: "config", Evidence: source})
		}
	}
	return err
}

// tomlPort returns a reader of TOML files with a port at keys.
func tomlPort(keys ...string) manifestReader {
	return func(b *builder, f file) error {
		t, err := tomlTable(f.data)
		if port, ok := in(t, keys...).(int64); ok && 0 < port && port < 65536 {
			b.notePort(Port{Port: int(port), Source: "config", Evidence: f.at(Declared, strings.Join(keys, "."), keys[len(keys)-1])})
		}
		return err
	}
}

// wranglerJSON reads where the server of wrangler listens.
func wranglerJSON(b *builder, f file) error {
	if len(bytes.TrimSpace(f.data)) == 0 {
		return nil
	}
	o, err := jsonObject(f.data, true)
	var port int
	if json.Unmarshal(object(o["dev"])["port"], &port) == nil && 0 < port && port < 65536 {
		b.notePort(Port{Port: port, Source: "config", Evidence: f.at(Declared, "dev.port", `"dev"`, `"port"`)})
	}
	return err
}
