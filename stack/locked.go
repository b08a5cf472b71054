package stack

import (
	"bytes"
	"errors"
	"path"
	"strings"

	"devtools/stack/files"
)

// lockFiles are the files with the versions that a project was installed with, by the registry of
// the packages.
var lockFiles = [...]struct{ registry, file string }{
	{"npm", "bun.lock"},
	{"npm", "pnpm-lock.yaml"},
	{"npm", "yarn.lock"},
	{"npm", "package-lock.json"},
	{"npm", "npm-shrinkwrap.json"},
	{"pypi", "uv.lock"},
	{"pypi", "poetry.lock"},
	{"pypi", "pdm.lock"},
	{"pypi", "Pipfile.lock"},
	{"cargo", "Cargo.lock"},
	{"rubygems", "Gemfile.lock"},
	{"packagist", "composer.lock"},
	{"hex", "mix.lock"},
}

// locked returns the version of a package in the nearest lock file, from the project's folder up to
// the top of the workspace. It is "" if no file has it.
func (b *builder) locked(registry, name string) string {
	for at := b.path; ; at = path.Dir(at) {
		for _, lock := range lockFiles {
			full := path.Join(at, lock.file)
			if lock.registry != registry || !b.d.has(full) {
				continue
			}
			data, err := b.d.load(full)
			if err != nil && !errors.Is(err, files.ErrTooLong) {
				continue
			}
			if v := lockedIn(lock.file, data, name); v != "" {
				return v
			}
		}
		if at == "." {
			return ""
		}
	}
}

// lockedIn finds the version of a package in the text of a lock file, by the text before it.
func lockedIn(file string, data []byte, name string) string {
	switch file {
	case "bun.lock":
		return versionAfter(data, `"`+name+`": ["`+name+`@`)
	case "pnpm-lock.yaml":
		for _, quote := range []string{"", "'"} {
			if v := versionAfter(data, "\n      "+quote+name+quote+":\n        specifier: ", "\n        version: "); v != "" {
				return v
			}
		}
	case "yarn.lock":
		for _, before := range []string{"\n" + name + "@", "\n\"" + name + "@"} {
			for _, version := range []string{"\n  version \"", "\n  version: "} {
				if v := versionAfter(data, before, version); v != "" {
					return v
				}
			}
		}
	case "package-lock.json", "npm-shrinkwrap.json":
		return versionAfter(data, `"node_modules/`+name+`": {`, `"version": "`)
	case "uv.lock", "poetry.lock", "pdm.lock", "Cargo.lock":
		return versionAfter(data, "\nname = \""+name+"\"\n", "version = \"")
	case "Pipfile.lock":
		return versionAfter(data, `"`+name+`": {`, `"version": "==`)
	case "Gemfile.lock":
		return versionAfter(data, "\n    "+name+" (")
	case "composer.lock":
		return versionAfter(data, `"name": "`+name+`",`, `"version": "`)
	case "mix.lock":
		return versionAfter(data, `"`+name+`": {:hex, :`+name+`, "`)
	}
	return ""
}

// mostBetween is the largest distance between the name of a package and its version in a lock file,
// in bytes.
const mostBetween = 300

// versionAfter returns the version behind texts that follow each other closely, "" if there is none.
func versionAfter(data []byte, texts ...string) string {
	for i, text := range texts {
		within := data
		if i > 0 {
			within = data[:min(len(data), mostBetween)]
		}
		at := bytes.Index(within, []byte(text))
		if at < 0 {
			return ""
		}
		data = data[at+len(text):]
	}
	end := bytes.IndexFunc(data, func(r rune) bool { return strings.ContainsRune("\"'(), \r\n", r) })
	if end <= 0 || end > 50 {
		return ""
	}
	return strings.TrimPrefix(string(data[:end]), "v")
}
