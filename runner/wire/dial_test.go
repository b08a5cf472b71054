package wire

import (
	"bufio"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// An answer that came in time is not lost because the caller of AskAhead did something else for long. One that does not come is waited
// for no longer than AnswerTime.
func TestAnswerIsFetchedLate(t *testing.T) {
	for _, answers := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			defer far.Close()
			go func() {
				var req Request
				if err := ReadLine(bufio.NewReader(far), MaxRequest, &req); err != nil {
					t.Error(err)
				}
				if answers {
					_ = WriteResponse(far, Response{V: Version, ID: req.ID})
				}
			}()
			answer := askOver(t.Context(), near, "web", Request{Op: OpState})
			time.Sleep(2 * AnswerTime)
			begin := time.Now()
			if _, err := answer(); (err == nil) != answers || time.Since(begin) > AnswerTime {
				t.Errorf("after %v: %v", time.Since(begin), err)
			}
		})
	}
}
