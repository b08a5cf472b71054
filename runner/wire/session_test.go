package wire

import (
	"bufio"
	"bytes"
	"reflect"
	"testing"
	"time"

	"devtools/ledger"
)

// Arguments, environment and folders are any bytes, and arrive as they were.
func TestSpecKeepsBytes(t *testing.T) {
	var all []byte
	for b := 1; b < 256; b++ {
		all = append(all, byte(b))
	}
	rows := 5
	for _, want := range []Spec{
		{
			ID: "id", Dir: "/\xff", Name: "web", Command: []string{"sh", "", string(all)}, Path: "/bin/\x80", Env: []string{"A=" + string(all), ""},
			Cwd: "/ü/\xfe", Size: ledger.Size{Cols: 80, Rows: 24}, Grace: time.Second, Leftovers: LeftoversKill, Scrollback: &rows,
			Labels: map[string]string{"a": "b"}, Retention: ledger.DefaultRetention,
		},
		{Command: []string{}, Env: []string{}},
	} {
		var stream bytes.Buffer
		if err := WriteLine(&stream, want); err != nil {
			t.Fatal(err)
		}
		var got Spec
		if err := ReadLine(bufio.NewReader(&stream), MaxStart, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v, %v", got, want, err)
		}
	}
}
