package stack

import (
	"regexp"
	"sync"
)

// An expression is a regular expression that is compiled at its first use: most runs of the program
// use none.
type expression struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

func (e *expression) get() *regexp.Regexp {
	e.once.Do(func() { e.compiled = regexp.MustCompile(e.text) })
	return e.compiled
}
