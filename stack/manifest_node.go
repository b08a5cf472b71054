package stack

import (
	"encoding/json"
	"strings"
)

// packageJSON reads the manifest of npm and of similar package managers.
func packageJSON(b *builder, f file) error {
	t, err := b.tasks(f, parsePackage)
	if t == nil {
		return err
	}
	o := t.object
	b.setName(text(o["name"]))
	for _, section := range []string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies"} {
		if section == "peerDependencies" && len(o["devDependencies"]) > 0 {
			continue // a library works with its peers, but is not made with them
		}
		for name, version := range object(o[section]) {
			b.addDependency("npm", name, text(version), f.at(Dependency, section+"."+name, `"`+section+`"`, `"`+name+`"`), section == "devDependencies")
		}
	}
	b.scriptsOf(f, t, "npm")
	for _, m := range t.workspaces() {
		b.addMember("npm", m, f.at(Declared, "workspaces", `"workspaces"`, `"`+m+`"`))
	}
	for name, version := range object(o["engines"]) {
		b.wantTool(name, text(version), f.at(Declared, "engines."+name, `"engines"`, `"`+name+`"`))
	}
	for name, version := range object(o["volta"]) {
		b.wantTool(name, text(version), f.at(Declared, "volta."+name, `"volta"`, `"`+name+`"`))
	}
	b.devEngines(f, object(o["devEngines"]))
	if name, version, ok := strings.Cut(text(o["packageManager"]), "@"); ok && name != "" {
		version, _, _ = strings.Cut(version, "+")
		b.declaredManager(name, version, f.at(Declared, "packageManager", `"packageManager"`))
	}
	if _, only, ok := strings.Cut(text(object(o["scripts"])["preinstall"]), "only-allow "); ok {
		name, _, _ := strings.Cut(strings.TrimSpace(only), " ")
		b.allowedManager(name, f.at(Declared, "scripts.preinstall", `"preinstall"`))
	}
	if o["trustedDependencies"] != nil { // only bun reads it
		b.allowedManager("bun", f.at(Config, "trustedDependencies", `"trustedDependencies"`))
	}
	return err
}

func (b *builder) devEngines(f file, o map[string]json.RawMessage) {
	for _, key := range []string{"packageManager", "runtime"} {
		all := []json.RawMessage{o[key]}
		_ = json.Unmarshal(o[key], &all) // the value is one object, or an array of them
		for _, raw := range all {
			one := object(raw)
			name, version := text(one["name"]), text(one["version"])
			if name == "" {
				continue
			}
			source := f.at(Declared, "devEngines."+key, `"devEngines"`, `"`+key+`"`)
			if key == "packageManager" {
				b.declaredManager(name, version, source)
			}
			b.wantTool(name, version, source)
		}
	}
}

func denoJSON(b *builder, f file) error {
	t, err := b.tasks(f, parseDeno)
	if t == nil {
		return err
	}
	o := t.object
	b.setName(text(o["name"]))
	b.scriptsOf(f, t, "deno")
	members := list(o["workspace"])
	if members == nil {
		members = list(object(o["workspace"])["members"])
	}
	for _, m := range members {
		b.addMember("deno", m, f.at(Declared, "workspace", `"workspace"`, `"`+m+`"`))
	}
	for name, target := range object(o["imports"]) {
		spec := text(target)
		source := f.at(Dependency, "imports."+name, `"imports"`, `"`+name+`"`)
		if rest, ok := strings.CutPrefix(spec, "npm:"); ok {
			pkg, version := splitAt(rest)
			b.addDependency("npm", pkg, version, source, false)
		}
		b.addDependency("deno", strings.TrimSuffix(name, "/"), "", source, false)
	}
	return err
}

// splitAt splits a package and its version: @scope/name@1.2.3.
func splitAt(spec string) (name, version string) {
	if at := strings.LastIndexByte(spec, '@'); at > 0 {
		return spec[:at], spec[at+1:]
	}
	return spec, ""
}

func pnpmWorkspace(b *builder, f file) error {
	m, err := yamlMap(f.data)
	for _, p := range textsIn(m, "packages") {
		b.addMember("pnpm", p, f.at(Declared, "packages", "packages", p))
	}
	return err
}

func lernaJSON(b *builder, f file) error {
	o, err := jsonObject(f.data, true)
	for _, p := range list(o["packages"]) {
		b.addMember("lerna", p, f.at(Declared, "packages", `"packages"`, `"`+p+`"`))
	}
	return err
}

func rushJSON(b *builder, f file) error {
	o, err := jsonObject(f.data, true)
	var projects []map[string]json.RawMessage
	_ = json.Unmarshal(o["projects"], &projects) // a missing value has no projects
	for _, p := range projects {
		if folder := text(p["projectFolder"]); folder != "" {
			b.addMember("rush", folder, f.at(Declared, "projects", `"`+folder+`"`))
		}
	}
	for _, name := range []string{"pnpm", "npm", "yarn"} {
		if version := text(o[name+"Version"]); version != "" {
			b.declaredManager(name, version, f.at(Declared, name+"Version", `"`+name+`Version"`))
		}
	}
	return err
}

// angularJSON reads the applications, and where the server of each listens.
func angularJSON(b *builder, f file) error {
	o, err := jsonObject(f.data, true)
	for name, raw := range object(o["projects"]) {
		project := object(raw)
		targets := object(project["architect"])
		if targets == nil {
			targets = object(project["targets"])
		}
		options := object(object(targets["serve"])["options"])
		var port int
		if json.Unmarshal(options["port"], &port) == nil && port > 0 {
			b.notePort(Port{Port: port, Source: "config", Evidence: f.at(Declared, "projects."+name+".architect.serve.options.port", `"`+name+`"`, `"port"`)})
		}
	}
	return err
}
