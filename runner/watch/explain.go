package watch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"devtools/stack/files"
)

// Explain tells whether a path counts, and by what rule. It need not exist; one that ends with a slash is a folder.
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
	e := Explanation{Path: filepath.ToSlash(path)}
	if err == nil {
		e.Kind = kindOf(info.Mode())
	}
	for i, t := range s.tops {
		rel, err := filepath.Rel(t.path, full)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if path := orBase(c)[i]; path != t.path && path != full { // one file is watched
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

// An Explanation says whether a path counts, and why.
type Explanation struct {
	Path    string `json:"path"`
	Watched bool   `json:"watched"`
	Inside  bool   `json:"inside"`         // of what is watched at all
	Kind    string `json:"kind,omitempty"` // of what never counts, whatever the rules say: socket, FIFO or device
	files.Verdict
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
