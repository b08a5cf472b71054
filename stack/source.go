package stack

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

const (
	mostSources = 40       // the most files of a project to search for the one that starts it
	mostSource  = 64 << 10 // the most bytes of such a file
)

// first returns the file of the project that fits a name, "" if there is none. The name may begin
// with a star for one of the project's folders.
func (b *builder) first(pattern string) string {
	base, anywhere := strings.CutPrefix(pattern, "*/")
	if !anywhere {
		if b.has(pattern) {
			return pattern
		}
		return ""
	}
	folder := b.d.at(b.path)
	if folder == nil {
		return ""
	}
	for _, name := range folder.Folders {
		if b.has(path.Join(name, base)) {
			return path.Join(name, base)
		}
	}
	return ""
}

// sourceWith returns the Python file that contains a text, or that imports a module. It looks in the
// project's folder, then in the folders below it, and in those of src. It returns "" if there is
// none.
func (b *builder) sourceWith(how, what string) string {
	left := mostSources
	for _, file := range b.sources(".py") {
		if left--; left < 0 {
			break
		}
		for line := range bytes.Lines(b.source(file)) {
			text := strings.TrimSpace(string(line))
			switch {
			case strings.HasPrefix(text, "#"):
			case how == "imports" && (text == "import "+what || strings.HasPrefix(text, "import "+what+" ") || strings.HasPrefix(text, "from "+what+" ") || strings.HasPrefix(text, "from "+what+".")):
				return file
			case how != "imports" && strings.Contains(text, what):
				return file
			}
		}
	}
	return ""
}

// sources returns the files with an extension in the project's folder, in the folders below it, and
// in those of src.
func (b *builder) sources(ending string) (all []string) {
	folders := []string{"."}
	for _, at := range []string{".", "src"} {
		if f := b.d.folders[path.Join(b.path, at)]; f != nil {
			for _, name := range f.Folders {
				if name != "src" && !isSupportFolder(name) {
					folders = append(folders, path.Join(at, name))
				}
			}
		}
		if at == "." {
			folders = append(folders, "src")
		}
	}
	for _, folder := range folders {
		full := path.Join(b.path, folder)
		if f := b.d.folders[full]; f != nil && (folder == "." || !slices.ContainsFunc(b.d.builders, func(o *builder) bool { return o.path == full })) {
			for _, name := range f.Files {
				if strings.HasSuffix(name, ending) && !strings.HasPrefix(name, "test_") && !strings.Contains(name, "_test.") && name != "setup.py" {
					all = append(all, path.Join(folder, name))
				}
			}
		}
	}
	return all
}

// isSupportFolder reports whether a folder with that name holds tests, examples or the like.
func isSupportFolder(name string) bool {
	return slices.Contains([]string{"test", "tests", "docs", "doc", "examples", "example", "scripts", "migrations", "benchmarks", "vendor"}, name)
}

// source returns the beginning of a file of the project.
func (b *builder) source(file string) []byte {
	data, err := b.d.load(path.Join(b.path, file))
	if err != nil {
		return nil
	}
	return data[:min(len(data), mostSource)]
}
