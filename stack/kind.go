package stack

import "strings"

// kindOf tells what a script is for, by its name and by what it runs.
func kindOf(name, command string) string {
	name = strings.ToLower(name)
	first, rest, _ := strings.Cut(strings.NewReplacer("_", ":", "-", ":", ".", ":").Replace(name), ":")
	switch first {
	case "dev", "develop", "development", "serve", "server", "watch", "web", "runserver", "docs":
		if strings.Contains(rest, "build") || first == "docs" && !strings.Contains(rest, "dev") {
			return "other"
		}
		return "dev"
	case "start", "run", "up", "worker", "preview":
		if strings.Contains(rest, "dev") || strings.Contains(rest, "watch") {
			return "dev"
		}
		if first == "preview" {
			return "other"
		}
		return "start"
	case "build", "compile", "bundle", "package", "dist", "all", "release", "make":
		return "build"
	case "test", "tests", "e2e", "unit", "spec", "check", "coverage", "cover":
		if first == "check" {
			return "lint"
		}
		return "test"
	case "lint", "format", "fmt", "typecheck", "types", "style", "vet", "eslint", "tsc", "type":
		return "lint"
	}
	return "other"
}
