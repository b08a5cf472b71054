package ledger

import "testing"

// lower gives a limit another value for the time of a test.
func lower(t *testing.T, limit *int64, value int64) {
	before := *limit
	*limit = value
	t.Cleanup(func() { *limit = before })
}
