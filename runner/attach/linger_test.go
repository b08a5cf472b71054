package attach

import (
	"testing"
	"testing/synctest"
	"time"
)

// The first key ends the linger and is not for the program. All later keys are.
func TestLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keyed := newLinger(time.Hour)
		begin := time.Now()
		time.AfterFunc(time.Second, func() {
			if !keyed.key() || keyed.key() {
				t.Error("the first key ends it, and no other")
			}
		})
		if keyed.await(t.Context()); time.Since(begin) != time.Second {
			t.Errorf("a key: it took %v", time.Since(begin))
		}
		l := newLinger(time.Hour)
		if l.await(t.Context()); time.Since(begin) != time.Hour+time.Second || l.key() {
			t.Errorf("no key: it took %v", time.Since(begin))
		}
		if newLinger(0).key() {
			t.Error("a linger without time")
		}
	})
}
