package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

// A line of the greatest length is read, and a longer one is refused before all of it has come.
func TestReadLineLimit(t *testing.T) {
	const limit = 10 << 10
	line := `"` + strings.Repeat("x", limit-3) + `"` + "\n"
	var text string
	if err := ReadLine(bufio.NewReaderSize(strings.NewReader(line), 4<<10), limit, &text); err != nil || len(text) != limit-3 {
		t.Errorf("%d bytes: %d characters, %v", len(line), len(text), err)
	}
	endless := &endless{}
	err := ReadLine(bufio.NewReaderSize(endless, 4<<10), limit, &text)
	if err == nil || !strings.Contains(err.Error(), "more than 10240 bytes") {
		t.Errorf("an endless line: %v", err)
	}
	if endless.read > limit+4<<10 {
		t.Errorf("%d bytes of an endless line are read, of which %d are allowed", endless.read, limit)
	}
}

// An endless reader never comes to the end of its line.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += len(p)
	return len(p), nil
}

// The end of the stream differs from a line that was cut off.
func TestReadLineEnds(t *testing.T) {
	for text, want := range map[string]error{"": io.EOF, " ": io.EOF, `{"v":1`: io.ErrUnexpectedEOF, "{}\n": nil} {
		var v struct{ V int }
		if err := ReadLine(bufio.NewReader(strings.NewReader(text)), 100, &v); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	r := bufio.NewReaderSize(strings.NewReader("1\n{\n3\n"), 16)
	var got []int
	for range 3 { // a line that is no JSON costs no other line
		var n int
		if ReadLine(r, 100, &n) == nil {
			got = append(got, n)
		}
	}
	if !reflect.DeepEqual(got, []int{1, 3}) {
		t.Errorf("read %v", got)
	}
}

// A response and its payload go out in one write, and come back as they were, whatever the bytes.
func TestResponsePayload(t *testing.T) {
	var stream bytes.Buffer
	writes := &counter{Writer: &stream}
	want := []Response{
		{V: Version, ID: 1, Known: true, Changed: []int{2, 3}, Payload: []byte("a\n{\x00\xff")},
		{V: Version, ID: 2, Data: []byte{0, 255, '\n'}, Payload: []byte{}},
		{V: Version, ID: 3, Payload: bytes.Repeat([]byte("0123456789"), 100_000)},
	}
	for _, resp := range want {
		if err := WriteResponse(writes, resp); err != nil {
			t.Fatal(err)
		}
	}
	if writes.n != len(want) {
		t.Errorf("%d writes of %d responses", writes.n, len(want))
	}
	r := bufio.NewReaderSize(&stream, 4<<10)
	for _, resp := range want {
		resp.Bytes = len(resp.Payload)
		if got, err := ReadResponse(r); err != nil || !reflect.DeepEqual(got, resp) {
			t.Errorf("%d: %.100q, %v", resp.ID, got.Payload, err)
		}
	}
	if _, err := ReadResponse(r); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// A counter counts the writes.
type counter struct {
	io.Writer
	n int
}

func (c *counter) Write(p []byte) (int, error) {
	c.n++
	return c.Writer.Write(p)
}

// The size that a response announces for its payload is not trusted.
func TestPayloadOfAnySize(t *testing.T) {
	for text, want := range map[string]string{
		`{"bytes":-1}` + "\n":       "the holder announces a payload of -1 bytes",
		`{"bytes":67108865}` + "\n": "the holder announces a payload of 67108865 bytes",
		`{"bytes":4}` + "\nabc":     io.ErrUnexpectedEOF.Error(),
	} {
		if _, err := ReadResponse(bufio.NewReader(strings.NewReader(text))); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A line that a stranger sends is decoded or refused, whatever it is.
func FuzzReadLine(f *testing.F) {
	f.Add([]byte(`{"v":1,"id":1,"op":"kill","pid":5,"signal":"TERM","graceMs":5}` + "\n"))
	f.Add([]byte("{}\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReaderSize(bytes.NewReader(data), 16)
		for {
			var req Request
			if ReadLine(r, 100, &req) != nil {
				return
			}
			var again Request
			var line bytes.Buffer
			if err := WriteLine(&line, req); err != nil {
				t.Fatal(err)
			}
			if err := ReadLine(bufio.NewReader(&line), 1<<20, &again); err != nil || again.Op != req.Op || again.ID != req.ID {
				t.Errorf("%+v became %+v, %v", req, again, err)
			}
		}
	})
}
