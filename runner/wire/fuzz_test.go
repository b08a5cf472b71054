package wire

import (
	"bufio"
	"bytes"
	"path/filepath"
	"testing"

	"devtools/ledger"
)

// An answer that is read is the same after it was written. No more than its payload is taken from the stream.
func FuzzReadResponse(f *testing.F) {
	f.Add([]byte(`{"v":1,"id":3,"bytes":2}`+"\nab"), []byte("rest"))
	f.Add([]byte(`{"bytes":-1}`+"\n"), []byte{})
	f.Add([]byte(`{"bytes":67108865}`+"\n"), []byte{})
	f.Fuzz(func(t *testing.T, data, rest []byte) {
		resp, err := ReadResponse(bufio.NewReaderSize(bytes.NewReader(data), 16))
		if err != nil {
			return
		}
		var written bytes.Buffer
		if err := WriteResponse(&written, resp); err != nil {
			return // a time that JSON cannot have
		}
		r := bufio.NewReader(bytes.NewReader(append(written.Bytes(), rest...)))
		again, err := ReadResponse(r)
		if err != nil || again.ID != resp.ID || !bytes.Equal(again.Payload, resp.Payload) {
			t.Errorf("%+v became %+v, %v", resp, again, err)
		}
		if r.Buffered() != min(len(rest), r.Size()-written.Len()) && len(rest) < 1000 && written.Len() < 1000 {
			t.Errorf("%d bytes are left of %d", r.Buffered(), len(rest))
		}
	})
}

// A note that is read names one process at least, and not so many that a client spends its time on them.
func FuzzNoted(f *testing.F) {
	f.Add([]byte(`{"v":1,"still":5,"processes":[{"pid":3,"args":["YQ=="]}],"offset":7,"size":{"cols":80,"rows":24}}`))
	f.Add([]byte(`{"v":1,"processes":[{},{}],"tether":{"pid":-1},"asks":[{"message":"x"}]}`))
	dir, err := ledger.Create(filepath.Join(f.TempDir(), ledger.FolderName))
	if err != nil {
		f.Fatal(err)
	}
	id, err := dir.NewSession()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		if len(object) == 0 || object[len(object)-1] != '}' {
			return
		}
		if err := dir.SaveInput(id, object); err != nil {
			t.Fatal(err)
		}
		n, ok := Noted(dir, id)
		if ok && (len(n.Processes) == 0 || len(n.Processes) > maxNoted) {
			t.Errorf("%+v", n)
		}
	})
}
