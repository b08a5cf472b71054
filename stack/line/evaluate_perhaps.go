package line

import (
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maybe evaluates a part that may be executed or not: what it changes is one possibility.
func (s *shell) maybe(c evalContext, run func(*shell)) {
	other, since, writes := s.copied(), c.out.len(), len(s.ev.written)
	run(other)
	c.out.settle(since)
	s.ev.perhaps(writes)
	for name, v := range other.vars {
		old, set := s.vars[name]
		if !set {
			old = variable{values: s.environment(name)}
		}
		s.vars[name] = old.or(v)
	}
	s.either(other)
	maps.Copy(s.aliases, other.aliases)
	if other.dir != s.dir {
		s.dir = Unknown
	}
	if strings.Join(other.pushed, "\x00") != strings.Join(s.pushed, "\x00") {
		s.pushed = nil
	}
}

// and evaluates b of a && b in the shell that has evaluated a. The folder and the output are taken to be those behind b, as in
// `mkdir x && cd x`; of the rest, what b changes is one possibility.
func (s *shell) and(b *syntax.Stmt, c evalContext) {
	before, writes := s.copied(), len(s.ev.written)
	s.statement(b, c)
	s.ev.perhaps(writes)
	for name, old := range before.vars {
		if v, set := s.vars[name]; set {
			s.vars[name] = old.or(v)
		}
	}
	s.either(before)
}

// either makes the functions and parameters of another shell a possibility.
func (s *shell) either(other *shell) {
	for name, body := range other.functions {
		old, set := s.functions[name]
		if set && old != body {
			body = &syntax.Stmt{Cmd: &syntax.BinaryCmd{Op: syntax.OrStmt, X: old, Y: body}}
		}
		s.functions[name] = body
	}
	if s.known != other.known || strings.Join(s.params, "\x00") != strings.Join(other.params, "\x00") {
		s.params, s.known = nil, false
	}
}

// written says which text a file of the line had before it was written.
type written struct {
	path, before string
	made         bool // the line has written it before
}

// perhaps makes what was written to files since then a possibility: their texts before may be there, too.
func (ev *Evaluation) perhaps(since int) {
	kept, done := ev.written[:since], map[string]bool{}
	for _, w := range ev.written[since:] {
		if done[w.path] {
			continue
		}
		done[w.path], kept = true, append(kept, w)
		before, text := w.before, ev.files[w.path]
		if !w.made && ev.Read != nil && !strings.ContainsAny(w.path, Signs) {
			before, _ = ev.Read(w.path)
		}
		if !strings.Contains(text, before) {
			text = before + "\n" + text
		}
		if len(text) > mostText {
			text = Unknown
		}
		ev.files[w.path] = text
	}
	ev.written = kept
}

// or returns a variable that is one of two.
func (v variable) or(w variable) variable {
	if v.refers != "" && v.refers == w.refers {
		return v
	}
	if v.list || w.list || v.refers != w.refers {
		if v.list && w.list && strings.Join(v.array, "\x00") == strings.Join(w.array, "\x00") && strings.Join(v.keys, "\x00") == strings.Join(w.keys, "\x00") {
			return v
		}
		return variable{values: []string{Unknown}}
	}
	return variable{values: union(v.values, w.values)}
}
