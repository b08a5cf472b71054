package commands

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"math"
	"unicode/utf8"

	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/wire"
)

// A logPage is the output of log --json.
type logPage struct {
	Event     string `json:"event,omitzero"`     // kind of the line, with --follow: output or closed; closed is the last line
	Name      string `json:"name"`               // name of the session
	SessionID string `json:"sessionId"`          // id of the session
	Restarted bool   `json:"restarted,omitzero"` // --since names another session, so the output begins at the start
	Stream    string `json:"stream,omitzero"`    // with --stdout or --stderr, which of the two data has: stdout or stderr
	Data      string `json:"data"`               // the output
	Encoding  string `json:"encoding"`           // encoding of data: utf8 or base64
	Offset    int64  `json:"offset"`             // offset of the first byte
	readOn
	GapBytes int64 `json:"gapBytes"` // deleted output between the place that was asked for and offset
	Closed   bool  `json:"closed"`   // there will be no further output
}

// pages prints one page as JSON. With --follow it prints a page whenever there is more output.
func (p *logPrinter) pages(ctx context.Context) error {
	if !p.cmd.Bool("follow") {
		page, err := p.page()
		if err != nil {
			return err
		}
		return p.printPage(page, "")
	}
	more := func() error {
		for {
			page, err := p.page()
			if err != nil || page.Next == p.at {
				return err
			}
			p.at = page.Next
			page.Closed = false // only the last line says that the log is closed
			if err := p.printPage(page, "output"); err != nil {
				return err
			}
		}
	}
	_, _, err := p.log.Follow(ctx, p.at, wire.Sink{Write: func(data []byte, _ transcript.Kind, offset int64) error {
		p.end = offset + int64(len(data))
		return more()
	}})
	p.end = math.MaxInt64
	if err = errors.Join(err, more()); err != nil {
		return err
	}
	return p.printPage(runner.Page{Offset: p.at, Next: p.at, Closed: true}, "closed")
}

// page reads the next page.
func (p *logPrinter) page() (runner.Page, error) {
	page, err := p.log.Page(p.at)
	page.EndAt(p.end)
	return page, err
}

// printPage prints a page as JSON. One that is no text is printed as the terminal got it; --grep chooses among lines of text.
func (p *logPrinter) printPage(page runner.Page, event string) error {
	var text bytes.Buffer
	p.bytes = p.grep == nil && !isText(page)
	w, plain, finish := p.filter(&text)
	if err := p.write(w, plain, page.Data, page.Offset); err != nil {
		return err
	}
	if err := finish(); err != nil {
		return err
	}
	if p.head.full() {
		page.EndAfter(p.cmd.Int("head"))
	}
	s := p.log.Session()
	result := logPage{
		Event: event, Name: s.Name, SessionID: s.ID, Restarted: p.restarted,
		Offset: page.Offset, readOn: readOnFrom(s.ID, page.Next), GapBytes: page.Gap, Closed: page.Closed,
		Stream: p.stream.name(),
	}
	p.restarted = false // the first line has said so
	result.Data, result.Encoding = encodeBytes(text.Bytes())
	if event == "" {
		return printResult(p.cmd, result)
	}
	return encodeFor(p.cmd, result)
}

// isText reports whether a page is UTF-8, but for a character that is cut at its beginning or, if there is more, at its end.
func isText(page runner.Page) bool {
	data := page.Data
	for i := 0; i < utf8.UTFMax-1 && page.Offset > 0 && len(data) > 0 && !utf8.RuneStart(data[0]); i++ {
		data = data[1:]
	}
	if !page.Closed {
		data = data[:transcript.WholeCharacters(data)]
	}
	return utf8.Valid(data)
}

// encodeBytes returns data in its form for JSON: unchanged if it is UTF-8, otherwise in base64.
func encodeBytes(data []byte) (text, encoding string) {
	if utf8.Valid(data) {
		return string(data), "utf8"
	}
	return base64.StdEncoding.EncodeToString(data), "base64"
}
