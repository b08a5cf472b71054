package files

import "slices"

// ambiguous are the built-in patterns of output folders whose names people also use for sources.
var ambiguous = []string{"bin/", "build/", "obj/", "out/", "target/", "tmp/"}

// BuiltInPatterns returns the built-in rules of a watch: patterns of the files that tools, editors
// and running programs make in a workspace. Files that git tracks count all the same. If git tracks
// a file in a folder with an ambiguous name (bin, build, obj, out, target, tmp), all files in the
// folder count.
func BuiltInPatterns() []string {
	patterns := slices.Concat(ambiguous, []string{
		"coverage/", "dist/", // outputs
		"*.log", "*.vsix", ".DS_Store",
		"*.swp", "*.swx", "*~", ".#*", "4913", // of editors; vim creates 4913 to test a folder
		"*.pid", "*.sock", // of running programs
	})
	for _, ending := range []string{"db", "sqlite", "sqlite3"} {
		for _, beside := range []string{"", "-journal", "-shm", "-wal"} { // the files of SQLite beside a database
			patterns = append(patterns, "*."+ending+beside)
		}
	}
	for _, name := range made {
		patterns = append(patterns, name+"/")
	}
	return patterns
}
