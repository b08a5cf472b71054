package codec

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stamp writes itself, as the times of the ledger do.
type stamp struct{ time.Time }

func (s stamp) MarshalJSON() ([]byte, error) {
	return []byte(s.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

type kind string

func (kind) String() string { return "has a method, and is text all the same" }

type inner struct {
	Cols int `json:"cols"`
	Rows int `json:"rows,omitzero"`
}

type Embedded struct {
	Keys  []string `json:"keys,omitempty"`
	Times int      `json:"times,omitzero"`
}

// A sample has every kind of value that codec takes.
type sample struct {
	Embedded
	Bool   bool              `json:"bool"`
	Int    int               `json:"int"`
	Small  int8              `json:"small,omitzero"`
	Uint   uint64            `json:"uint,omitzero"`
	Text   string            `json:"text"`
	Kind   kind              `json:"kind,omitzero"`
	Code   *int              `json:"code,omitempty"`
	Data   []byte            `json:"data,omitempty"`
	List   []string          `json:"list"`
	Labels map[string]string `json:"labels,omitempty"`
	Inner  inner             `json:"inner,omitzero"`
	Next   *sample           `json:"next,omitempty"`
	All    []inner           `json:"all,omitempty"`
	At     stamp             `json:"at,omitzero"`
	Plain  int
	Hidden int `json:"-"`
	own    int
}

func samples() []sample {
	code := -3
	return []sample{
		{},
		{Embedded: Embedded{Keys: []string{"a"}, Times: 2}, Bool: true, Int: math.MinInt, Small: -128, Uint: math.MaxUint64, Plain: 7, Hidden: 1, own: 1},
		{Text: "a\"\\/\b\f\n\r\t\x00\x1f<&>é€😀\u2028\u2029\xff\xc3", Kind: "k", Code: &code, Data: []byte{0, 255, 3}, List: []string{}},
		{
			List: []string{"", "x"}, Labels: map[string]string{"b": "1", "a": "\n"}, Inner: inner{Cols: 1}, Next: &sample{Text: "next"},
			All: []inner{{}, {1, 2}}, At: stamp{time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)},
		},
	}
}

func TestMarshalIsThatOfEncodingJSON(t *testing.T) {
	for _, s := range samples() {
		var want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(s); err != nil {
			t.Fatal(err)
		}
		if got, err := Marshal(s); err != nil || string(got)+"\n" != want.String() {
			t.Errorf("got  %s, %v\nwant %s", got, err, want.String())
		}
	}
}

func TestMarshalRefusesOtherTypes(t *testing.T) {
	for _, v := range []any{1.5, map[int]string{1: ""}, struct{ A any }{1}, make(chan int)} {
		if text, err := Marshal(v); err == nil {
			t.Errorf("%T: %s", v, text)
		}
	}
}

// What encoding/json refuses is refused, and what it reads means the same.
func FuzzUnmarshal(f *testing.F) {
	for _, s := range samples() {
		text, err := Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)/2])
	}
	for _, text := range []string{
		``, ` `, `null`, `{}`, `[]`, `1`, `{"int":1.0}`, `{"int":01}`, `{"int":-}`, `{"int":1e2}`, `{"small":128}`, `{"uint":-1}`, `{"unknown":[{"a":[1,-2.5E+3,true,false,null,"x"]}]}`,
		`{"INT":3,"Text":"other case"}`, `{"int":1,"int":2}`, `{"text":"\ud83d\ude00\ud83d\u0041\ud83dx\u00e9"}`, `{"text":"\u12"}`, `{"text":"\x"}`, "{\"text\":\"\x01\"}",
		`{"data":"AP8D"}`, `{"data":"A"}`, `{"data":null,"code":null,"list":null,"next":null,"text":null}`, `{"code":5,"next":{"next":{"int":9}}}`, `{"list":["a",]}`, `{"a":1,}`, `{,}`,
		`{"labels":{"a":"b","c":null}}`, `{"at":"2026-01-02T03:04:05Z"}`, `{"at":"never"}`, `{"bool":1}`, `{"bool":truex}`, `{"all":[{"cols":1},null]} `, `{} {}`, "\ufeff{}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if strings.Contains(string(text), `"data"`) && strings.Contains(string(text), "[") {
			t.Skip("encoding/json takes an array for bytes")
		}
		var got, want sample
		err, wantErr := Unmarshal(text, &got), json.Unmarshal(text, &want)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, encoding/json: %v", text, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q:\n%s", text, cmp.Diff(want, got, cmp.AllowUnexported(sample{})))
		}
	})
}

func TestUnmarshalRefusesDeepValues(t *testing.T) {
	for depth, ok := range map[int]bool{50: true, 100_000: false} {
		text := `{"unknown":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`
		if err := Unmarshal([]byte(text), &sample{}); (err == nil) != ok {
			t.Errorf("%d arrays in each other: %v", depth, err)
		}
	}
}

// Texts that may be no text arrive as they were.
func TestBytes(t *testing.T) {
	type spec struct {
		Command []string `json:"command" codec:"bytes"`
		Cwd     string   `json:"cwd" codec:"bytes"`
	}
	for _, want := range []spec{{[]string{"a", "", "\xff\xfe\n"}, "/\x80"}, {[]string{}, ""}} {
		text, err := Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got spec
		if err := Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v, %v", text, got, want, err)
		}
	}
	var list spec
	if err := Unmarshal([]byte(`{"command":"YQ=="}`), &list); err == nil {
		t.Errorf("a list without a NUL at its end: %+v", list)
	}
}

func TestUnmarshalErrorSaysWhere(t *testing.T) {
	err := Unmarshal([]byte(`{"int": "x"}`), &sample{})
	if err == nil || err.Error() != "JSON: no number at byte 8" {
		t.Error(err)
	}
}
