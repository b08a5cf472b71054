package stack

import (
	"path"
	"strings"
)

// members finds the workspace that each project belongs to. It is declared in the nearest folder
// above whose patterns include the project.
func (d *detection) members() {
	for _, b := range d.builders {
		if b.path == "." {
			continue
		}
		for at := path.Dir(b.path); b.project.Workspace == nil; at = path.Dir(at) {
			above := d.builderAt(at)
			for _, p := range above.project.Members {
				if included(above.project.Members, p.Kind, at, b.path) {
					b.project.Workspace = &Member{Kind: p.Kind, Path: at}
					break
				}
			}
			if at == "." {
				break
			}
		}
	}
}

// included reports whether patterns of a kind in the folder at include the project: one of them
// matches, and none that begins with "!" does.
func included(patterns []Pattern, kind, at, project string) bool {
	relative := project
	if at != "." {
		relative = strings.TrimPrefix(project, at+"/")
	}
	in := false
	for _, p := range patterns {
		if p.Kind != kind {
			continue
		}
		pattern, out := strings.CutPrefix(p.Pattern, "!")
		pattern = strings.Trim(strings.TrimPrefix(pattern, "./"), "/")
		if matchFolders(strings.Split(pattern, "/"), strings.Split(relative, "/")) {
			if out {
				return false
			}
			in = true
		}
	}
	return in
}

// matchFolders reports whether a path matches a pattern in which ** stands for any number of
// folders.
func matchFolders(pattern, parts []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for i := range len(parts) + 1 {
				if matchFolders(pattern[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], parts[0]); !ok || err != nil {
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
	return len(parts) == 0
}
