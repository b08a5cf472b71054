package files

import "slices"

// ambiguous are the built-in patterns of folders with outputs whose names people give to their sources too.
var ambiguous = []string{"bin/", "build/", "obj/", "out/", "target/", "tmp/"}

// BuiltInPatterns returns patterns of what tools, editors and running programs make in the workspaces of people who watch
// their sources: the built-in rules of a watch. What git tracks counts all the same, and in a folder with a name that
// people give to what they write too (bin, build, obj, out, target, tmp) so does the rest, if git tracks some of it.
func BuiltInPatterns() []string {
	patterns := slices.Concat(ambiguous, []string{
		"coverage/", "dist/", // outputs
		"*.log", "*.vsix", ".DS_Store",
		"*.swp", "*.swx", "*~", ".#*", "4913", // of editors; 4913 is what vim tries a folder with
		"*.pid", "*.sock", // of running programs
	})
	for _, ending := range []string{"db", "sqlite", "sqlite3"} {
		for _, beside := range []string{"", "-journal", "-shm", "-wal"} { // what SQLite keeps beside a database
			patterns = append(patterns, "*."+ending+beside)
		}
	}
	for _, name := range made {
		patterns = append(patterns, name+"/")
	}
	return patterns
}
