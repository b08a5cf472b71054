package hold

import (
	"testing"
	"time"

	"devtools/ledger"
)

// A caller is known by its process or by its terminal, until 32 others have come.
func TestCallers(t *testing.T) {
	var c callers
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	for i, call := range []struct {
		caller ledger.Caller
		before int // 0: not known
	}{
		{ledger.Caller{PID: 1, Session: 2}, 0},
		{ledger.Caller{PID: 1, Session: 3}, 1},
		{ledger.Caller{PID: 4, Session: 2}, 1},
		{ledger.Caller{PID: 4, Session: 2}, 3},
		{ledger.Caller{}, 0},
		{ledger.Caller{}, 0},
	} {
		before := c.served(call.caller, at(i+1))
		if want := at(call.before); call.before == 0 && !before.IsZero() || call.before != 0 && !before.Equal(want) {
			t.Errorf("call %d: before it %v, want %v", i+1, before, want)
		}
	}
	for i := range maxCallers {
		c.served(ledger.Caller{PID: 100 + i}, at(50))
	}
	if before := c.served(ledger.Caller{PID: 4, Session: 2}, at(60)); !before.IsZero() || len(c) != maxCallers {
		t.Errorf("%d callers, and one from before: %v", len(c), before)
	}
}
