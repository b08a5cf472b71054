package hold

import (
	"testing"
	"time"

	"devtools/runner/prompt"
	"devtools/runner/wire"
)

// Only a text in the field of a line or of a password is believed to wait for its Enter, and only after the doubt is over.
func TestFieldIsBelieved(t *testing.T) {
	typed := time.Now()
	for _, test := range []struct {
		kind  prompt.Kind
		text  string
		after time.Duration
		want  bool
	}{
		{prompt.Line, "blue", fieldDoubt, true},
		{prompt.Password, "secret", fieldDoubt, true},
		{prompt.Line, "blue", fieldDoubt - 1, false},
		{prompt.Line, "ü", fieldDoubt, false},
		{prompt.Confirm, "yes", fieldDoubt, false},
		{prompt.Key, "yes", fieldDoubt, false},
		{prompt.Choice, "12", fieldDoubt, false},
	} {
		a := typedAnswer{text: test.text, at: typed}
		a.question.Waiting = &wire.Waiting{Kind: string(test.kind)}
		if got := a.believed(typed.Add(test.after)); got != test.want {
			t.Errorf("%s %q after %v: %v", test.kind, test.text, test.after, got)
		}
	}
}
