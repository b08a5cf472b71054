package watch

import (
	"slices"
	"strings"
	"unicode/utf8"

	"devtools/stack/files"
)

// text returns the end of a program's output, from the beginning of a line.
func text(tail []byte) string {
	if len(tail) > lastLines {
		tail = tail[len(tail)-lastLines:]
		_, after, ok := strings.Cut(string(tail), "\n")
		if ok {
			return after
		}
	}
	return strings.ToValidUTF8(string(tail), "\ufffd")
}

func pathsOf(changes []files.Change) (paths []Path) {
	for _, c := range changes {
		p := Path{Path: c.Path, Reason: string(c.Reason)}
		if !utf8.ValidString(c.Path) {
			p.Bytes = []byte(c.Path)
		}
		paths = append(paths, p)
	}
	return paths
}

func names(changes []files.Change) (paths []string) {
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// merged returns the changes of both lists, sorted. If both have a path, the change in b counts.
func merged(a, b []files.Change) []files.Change {
	all := slices.Concat(b, a)
	slices.SortStableFunc(all, func(a, b files.Change) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(all, func(a, b files.Change) bool { return a.Path == b.Path })
}

// union returns the paths of both lists, each once.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
