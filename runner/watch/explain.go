package watch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"devtools/stack/files"
)

// Explain tells whether a path counts as a source, and by which rule. The path need not exist. A path that ends with a
// slash is a folder.
func Explain(c Sources, path string) (Explanation, error) {
	s, err := newSources(c, func(string) {})
	if err != nil {
		return Explanation{}, err
	}
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(c.Base, full)
	}
	info, err := os.Lstat(full)
	folder := err == nil && info.IsDir() || strings.HasSuffix(path, string(filepath.Separator))
	e := Explanation{Path: filepath.ToSlash(path), Missing: err}
	if err == nil {
		e.Kind = kindOf(info.Mode())
	}
	for i, t := range s.tops {
		rel, err := filepath.Rel(t.path, full)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if path := orBase(c)[i]; path != t.path && path != full { // only one file is watched here
			continue
		}
		if e.Inside = true; rel == "." {
			e.Watched = true
			return e, nil
		}
		e.Verdict = s.rulesOf(i).Explain(filepath.ToSlash(rel), folder)
		if e.Watched = !e.Verdict.Ignored && e.Kind == "" && (folder || s.wanted(rel)); e.Watched {
			break
		}
	}
	return e, nil
}

// An Explanation says whether a path counts as a source, and why.
type Explanation struct {
	Path    string `json:"path"`           // the path in question
	Watched bool   `json:"watched"`        // it counts as a source
	Inside  bool   `json:"inside"`         // the path lies in what is watched
	Kind    string `json:"kind,omitempty"` // kind of a file that never counts, whatever the rules say: socket, FIFO or device
	files.Verdict
	Missing error `json:"-"` // why the path cannot be looked at, or nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeNamedPipe != 0:
		return "FIFO"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return ""
}
