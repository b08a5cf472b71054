package commands

import (
	"errors"
	"fmt"
	"testing"
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
