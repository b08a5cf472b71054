package files

import "strings"

// A Verdict is what the rules say of a path, and why.
type Verdict struct {
	Ignored bool   `json:"ignored"`
	Tracked bool   `json:"tracked,omitempty"` // git tracks it, which overrides the rule; of a folder: something in it
	Spared  bool   `json:"spared,omitempty"`  // git tracks something in the folder Path, which overrides the rule for all in it
	Path    string `json:"path,omitempty"`    // what the rule is about: the path itself or a folder above it
	Rule    *Rule  `json:"rule,omitempty"`    // the one that decided, which may be one that includes; nil where none matches
}

// Explain tells whether the file or folder of a path from the top, with slashes, is ignored, and by what rule. It need
// not exist. The ignore files are read again by new [Rules] only.
func (r *Rules) Explain(path string, folder bool) Verdict {
	if path == "." {
		return Verdict{}
	}
	var buf []byte
	var above Verdict // the last that includes a folder on the way
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

// overrides reports whether a ruling that includes a folder, whose path as it is matched is given, is why what lies in
// it counts. Of git's rules that are those over built-in ones: by itself git has no rule that says so.
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

// verdict tells a ruling about an entry of a level.
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

// below returns the level of a folder of l, as it was when it was first asked for.
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
