//go:build unix

package hold

import (
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
)

// A capture whose file takes nothing holds neither the terminal up for long, nor the end of the session.
func TestCaptureStuck(t *testing.T) {
	core := newCore(t)
	core.log.Append(make([]byte, 1000), transcript.Output, 0)
	c := &capture{record: ledger.Capture{ID: "1", File: "stuck"}, link: &link{}}
	over := &completion{core: core, treeGone: true, drained: true}
	cs := &captures{core: core, completion: over, list: []*capture{c}}
	for _, test := range []struct {
		busy             time.Duration
		behind, captured bool
	}{
		{0, true, false},
		{time.Nanosecond, true, false},
		{captureBusy + time.Second, false, false},
		{captureFarewell + time.Second, false, true},
	} {
		if test.busy > 0 {
			c.busySince.Store(time.Now().Add(-test.busy).UnixNano())
		}
		if behind := cs.behind(999); behind != test.behind || cs.behind(1000) {
			t.Errorf("busy for %v: behind %v", test.busy, behind)
		}
		cs.tick(time.Now())
		if captured := cs.allEnded(); captured != test.captured {
			t.Errorf("busy for %v: captured %v", test.busy, captured)
		}
	}
	list, err := core.dir.Captures(core.session.ID)
	if err != nil || len(list) != 1 || !list[0].Failed || list[0].Reason != "stuck took nothing for 10s" {
		t.Errorf("%+v, %v", list, err)
	}
}
