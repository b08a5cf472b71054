package runner

import (
	"bufio"
	"context"

	"devtools/ledger"
)

// outlooks asks what the living sessions of l do about input, and returns what waits for the answers. A holder that does
// not answer leaves it open.
func (l *Listing) outlooks(ctx context.Context, dir ledger.Dir) (wait func()) {
	ctx, cancel := context.WithTimeout(ctx, 2*outlookPatience)
	done := make(chan struct{}, len(l.Sessions))
	asked := 0
	for i := range l.Sessions {
		s := &l.Sessions[i]
		if s.Status != ledger.StatusRunning || s.Size == (ledger.Size{}) {
			continue
		}
		asked++
		record := s.Session
		go func() {
			defer func() { done <- struct{}{} }()
			var resp outlookResponse
			err := ask(ctx, dir, record, outlookRequest{V: protocol, Op: opOutlook}, func(r *bufio.Reader) error {
				return readLine(r, maxResponse, &resp)
			})
			if err == nil && resp.Error == nil && resp.Outlook != nil {
				s.Outlook = *resp.Outlook
			}
		}()
	}
	return func() {
		defer cancel()
		for range asked {
			<-done
		}
	}
}

// An outlookRequest and an outlookResponse are the request and the response of opOutlook with nothing else in them.
type outlookRequest struct {
	V  int    `json:"v"`
	Op string `json:"op"`
}

type outlookResponse struct {
	Error   *fault   `json:"error"`
	Outlook *Outlook `json:"outlook"`
}
