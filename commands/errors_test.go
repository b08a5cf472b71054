package commands

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"devtools/ledger"
	"devtools/runner/guard/isolation"
	"devtools/runner/wire"
)

// Only errors that errors.Join has joined are told apart, whatever their text is.
func TestErrorDetails(t *testing.T) {
	one, two, three := errors.New("one"), errors.New("two"), errors.New("three")
	for _, c := range []struct {
		err  error
		want []string
	}{
		{nil, nil},
		{one, []string{"one"}},
		{errors.Join(one, errors.Join(two, three)), []string{"one", "two", "three"}},
		{fmt.Errorf("%w\n%w", one, two), []string{"one\ntwo"}},
		{fmt.Errorf("both: %w", errors.Join(one, two)), []string{"both: one\ntwo"}},
	} {
		details := errorDetails(c.err)
		if len(details) != len(c.want) {
			t.Errorf("%v: %v, want %q", c.err, details, c.want)
			continue
		}
		for i, d := range details {
			if d.Message != c.want[i] {
				t.Errorf("%v: %v, want %q", c.err, details, c.want)
			}
		}
	}
}

// The hint about one session has its name, whoever has told of it. One about several sessions, or about a name that no session can
// have, stays as it is.
func TestHintsNameSession(t *testing.T) {
	const ended = "devtools log prints its output, if it was recorded, devtools screen its last picture, devtools wait its exit code"
	named := strings.NewReplacer("log", "log web", "screen", "screen web", "wait", "wait web").Replace(ended)
	ofHolder := wire.NewFault(ledger.SessionError("web", wire.ErrEnded)).Err()
	for _, c := range []struct {
		err  error
		want string
	}{
		{ledger.SessionError("web", wire.ErrEnded), named},
		{fmt.Errorf("more: %w", ofHolder), named},
		{errors.Join(ofHolder, nil, ofHolder), named},
		{errors.Join(ofHolder, ledger.SessionError("db", wire.ErrEnded)), ended},
		{errors.Join(ofHolder, errors.New("of none")), ended},
		{ledger.SessionError("two words", wire.ErrEnded), ended},
		{wire.ErrEnded, ended},
		{ledger.SessionError("web", wire.ErrNoAnswer), "it may be stopped or very busy; devtools doctor web finds out"},
		{wire.ErrNoAnswer, "it may be stopped or very busy; devtools doctor NAME finds out"},
		{&sessionError{err: ledger.SessionError("web", wire.ErrNoAnswer), name: "web", hint: "of its own"}, "of its own"},
		{ledger.SessionError("web", isolation.ErrUnavailable), "devtools doctor shows what is missing; --isolation medium limits no access"},
	} {
		if got := newErrorDetail("", c.err).Hint; got != c.want {
			t.Errorf("%v: hint %q, want %q", c.err, got, c.want)
		}
	}
}
