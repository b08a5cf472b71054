package files

import "strings"

// A Verdict is the decision of the rules about a path, with the reason.
type Verdict struct {
	Ignored bool   `json:"ignored"`           // the rules leave it out
	Tracked bool   `json:"tracked,omitempty"` // git tracks the file, or a file in the folder, which overrides the rule
	Spared  bool   `json:"spared,omitempty"`  // git tracks a file in a folder above, which overrides the rule for all files there
	Path    string `json:"path,omitempty"`    // what the rule is about: the path itself, or a folder above it
	Rule    *Rule  `json:"rule,omitempty"`    // the rule that decided, which may include the path; absent if none matches
}

// Explain says whether the rules ignore a file or folder, and which rule decides. The path begins at
// the top and has slashes. The file need not exist. Only new [Rules] read the ignore files again.
func (r *Rules) Explain(path string, folder bool) Verdict {
	if path == "." {
		return Verdict{}
	}
	var buf []byte
	var above Verdict // the last ruling that includes a folder on the way
	l := r.first
	for {
		name, rest, more := strings.Cut(path, "/")
		var found ruling
		found, buf = l.judge(buf, []byte(name), folder || more, r.fold)
		switch {
		case !more && found.list == nil:
			return above
		case !more || found.ignored && !found.tracked:
			return r.verdict(l, name, found)
		case !found.ignored && found.list != nil && l.overrides(buf, found):
			above = r.verdict(l, name, found)
		}
		l, path = r.below(l, name, found), rest
	}
}

// overrides reports whether files in a folder count because of a ruling that includes the folder.
// path is the folder's path in the form for matching. A rule of git decides only if it overrides a
// built-in one: without rules, files count anyway.
func (l *level) overrides(path []byte, found ruling) bool {
	switch {
	case found.tracked:
		return found.list.rules[found.rule].either
	case found.list.layer != Git:
		return true
	}
	for _, list := range l.lists[l.above:] {
		if list.layer != BuiltIn {
			continue
		}
		if rule := list.match(path, len(l.folded), true); rule >= 0 {
			return true
		}
	}
	return false
}

// verdict returns the Verdict for a ruling about an entry of a level.
func (r *Rules) verdict(l *level, name string, found ruling) Verdict {
	v := Verdict{Ignored: found.ignored && !found.tracked, Tracked: found.tracked}
	if found.list == nil {
		return v
	}
	if v.Spared = found.tracked && found.list.rules[found.rule].either; v.Spared {
		v.Tracked = false
	}
	v.Rule, v.Path = found.list.rule(found.rule), l.path+name
	if l.ruling.ignored && found.list == l.ruling.list && found.rule == l.ruling.rule {
		v.Path = l.at
	}
	v.Path = strings.TrimPrefix(v.Path, r.prefix)
	return v
}

// below returns the level of a folder in l, as it was at its first use.
func (r *Rules) below(l *level, name string, found ruling) *level {
	path := l.path + name
	r.lock.Lock()
	in := r.levels[path]
	r.lock.Unlock()
	if in == nil {
		in = r.enter(l, name, r.present(r.disk(path)), found)
		r.lock.Lock()
		r.levels[path] = in
		r.lock.Unlock()
	}
	return in
}
