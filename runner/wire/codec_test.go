package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/codec"
)

// Everything that a client and a holder say, and every record of the ledger, is the same JSON to codec and to encoding/json.
func TestCodecKnowsAllMessages(t *testing.T) {
	for _, sample := range []any{
		&Request{}, &Response{}, &ledger.Active{}, &ledger.Event{}, &ledger.Watch{}, &ledger.Capture{}, &ledger.PromptNote{},
	} {
		fill(t, reflect.ValueOf(sample).Elem(), 4)
		want, err := json.Marshal(sample)
		if err != nil {
			t.Fatal(err)
		}
		got, err := codec.Marshal(sample)
		if err != nil || string(got) != string(want) {
			t.Errorf("%T:\n got %s, %v\nwant %s", sample, got, err, want)
		}
		read, again := reflect.New(reflect.TypeOf(sample).Elem()).Interface(), reflect.New(reflect.TypeOf(sample).Elem()).Interface()
		if err := codec.Unmarshal(want, read); err != nil {
			t.Errorf("%T: %v", sample, err)
		}
		if err := json.Unmarshal(want, again); err != nil || !reflect.DeepEqual(read, again) {
			t.Errorf("%T: read\n     %+v\nwant %+v, %v", sample, read, again, err)
		}
	}
}

// fill gives every exported field of v a value that is not zero, as deep as that many structs lie in each other.
func fill(t *testing.T, v reflect.Value, depth int) {
	if at, ok := v.Addr().Interface().(*ledger.Time); ok {
		at.Time = time.Date(2026, 1, 15, 10, 30, 0, 123e6, time.UTC)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(-5)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(200)
	case reflect.String:
		v.SetString("a\"é\x1b" + strings.Repeat("x", depth))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), depth)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), depth)
		fill(t, v.Index(1), depth)
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"b": "1", "a": "2"}).Convert(v.Type()))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" && depth > 0 {
				fill(t, v.Field(i), depth-1)
			}
		}
	default:
		t.Fatalf("no value for %s", v.Type())
	}
}
