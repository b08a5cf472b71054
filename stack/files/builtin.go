package files

// BuiltInPatterns returns patterns of what tools and editors make in the workspaces of people who watch their sources: the
// built-in rules of a watch. What git tracks counts all the same.
func BuiltInPatterns() []string {
	patterns := []string{
		"bin/", "build/", "coverage/", "dist/", "obj/", "out/", "target/", "tmp/", // outputs
		"*.log", "*.vsix", ".DS_Store",
		"*.swp", "*.swx", "*~", ".#*", "4913", // of editors; 4913 is what vim tries a folder with
	}
	for _, name := range made {
		patterns = append(patterns, name+"/")
	}
	return patterns
}
