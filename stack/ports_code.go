package stack

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// portsInCode are expressions for the ways in which servers are started, by the extension of a file.
// The last group that takes part is the port.
var portsInCode = sync.OnceValue(func() map[string]*regexp.Regexp {
	js := regexp.MustCompile(`\.listen\(\s*(\d{2,5})\b|\b(?:PORT|port)["'\])]*\s*(?:\|\||\?\?)\s*["']?(\d{2,5})\b|\b(?:const|let|var)\s+(?:PORT|port)\s*=\s*(\d{2,5})\b|\bserve\(\{[^}]*?\bport:\s*(\d{2,5})\b`)
	return map[string]*regexp.Regexp{
		".js": js, ".ts": js, ".mjs": js, ".cjs": js, ".mts": js, ".tsx": js,
		".go": regexp.MustCompile(`(?i)(?:listen|run|start|addr|serve|port)[^\n]*"[^"\s/]*:(\d{2,5})"`),
		".rs": regexp.MustCompile(`"(?:127\.0\.0\.1|0\.0\.0\.0|localhost|\[::\]):(\d{2,5})"|\(\s*\[\d+,\s*\d+,\s*\d+,\s*\d+\],\s*(\d{2,5})\s*\)|\("(?:127\.0\.0\.1|0\.0\.0\.0|localhost)",\s*(\d{2,5})\)`),
		".py": regexp.MustCompile(`(?:run|launch|serve|run_app|run_server)\([^\n]*\bport\s*=\s*(\d{2,5})\b|\bport\s*=\s*int\(os\.\w+(?:\.get)?\([^)\n]*,\s*["']?(\d{2,5})`),
		".rb": regexp.MustCompile(`(?m)^\s*set\s+:port,\s*(\d{2,5})\b`),
	}
})

// portInCode calls add with the port in the code that the commands run, for the first file that has
// one.
func (b *builder) portInCode(commands []string, add func(Port)) {
	for _, command := range commands {
		for _, file := range b.codeOf(strings.Fields(command)) {
			re := portsInCode()[path.Ext(file)]
			if re == nil {
				continue
			}
			text := b.source(file)
			for _, m := range re.FindAllSubmatchIndex(text, -1) {
				for i := 2; i < len(m); i += 2 {
					if m[i] < 0 {
						continue
					}
					for _, port := range onePort(string(text[m[i]:m[i+1]])) {
						line := 1 + bytes.Count(text[:m[i]], []byte("\n"))
						add(Port{Port: port, Source: "code", Evidence: Evidence{File: path.Join(b.path, file), Line: line, Rank: Config}})
						return
					}
				}
			}
		}
	}
}

// mayServe reports whether the code that commands run serves, or cannot be read.
func (b *builder) mayServe(commands []string) bool {
	seen := false
	for _, command := range commands {
		for _, file := range b.codeOf(strings.Fields(command)) {
			if seen = true; bytes.Contains(b.source(file), []byte("serve(")) || bytes.Contains(b.source(file), []byte(".listen(")) {
				return true
			}
		}
	}
	return !seen || slices.ContainsFunc(commands, func(c string) bool { return slices.Contains(strings.Fields(c), "serve") })
}

// codeRunners are programs that run a file whose name is an argument.
var codeRunners = []string{
	"node", "nodemon", "tsx", "ts-node", "ts-node-dev", "tsnd", "bun", "deno", "python", "python3", "ruby", "babel-node", "esno", "jiti", "pm2", "supervisor",
}

// codeOf returns the files of the project that a command runs, as far as its words tell.
func (b *builder) codeOf(words []string) (files []string) {
	i := slices.IndexFunc(words, func(w string) bool {
		return slices.Contains(codeRunners, path.Base(w)) || w == "go" || w == "cargo" || w == "nest"
	})
	if i < 0 {
		return nil
	}
	switch arguments := words[i+1:]; words[i] {
	case "cargo":
		files = []string{"src/main.rs"}
	case "nest":
		files = []string{"src/main.ts", "src/main.js"}
	case "go":
		files = b.goFiles(arguments)
	default:
		files = namedFiles(arguments)
		if path.Base(words[i]) == "nodemon" && len(arguments) == 0 {
			files = []string{"index.js", "server.js", "app.js"}
		}
	}
	return slices.DeleteFunc(files, func(file string) bool { return strings.HasPrefix(file, "..") || path.IsAbs(file) || !b.has(file) })
}

// goFiles returns the files among the arguments of go run, and the files in its folders.
func (b *builder) goFiles(arguments []string) (all []string) {
	for _, target := range arguments {
		switch {
		case target == "run" || strings.HasPrefix(target, "-"):
		case strings.HasSuffix(target, ".go"):
			all = append(all, path.Clean(target))
		default:
			f := b.d.folders[path.Join(b.path, target)]
			if f == nil {
				continue
			}
			for _, name := range f.Files {
				if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
					all = append(all, path.Join(path.Clean(target), name))
				}
			}
		}
	}
	return all
}

// namedFiles returns the files that arguments may name, as JavaScript resolves them.
func namedFiles(arguments []string) (all []string) {
	for _, w := range arguments {
		if strings.HasPrefix(w, "-") || strings.ContainsAny(w, "=$*") {
			continue
		}
		w = path.Clean(w)
		for _, ending := range []string{"", ".js", ".ts", ".mjs", "/index.js", "/index.ts"} {
			all = append(all, w+ending)
		}
	}
	return all
}
