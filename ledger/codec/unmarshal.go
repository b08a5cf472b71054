package codec

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// maxDepth is how many arrays and objects may lie in each other. encoding/json takes 10,000; no record has ten.
const maxDepth = 100

// Unmarshal reads the JSON value data into the variable to which v points. Members without a field are skipped. After an
// error, what v points to has no meaning.
func Unmarshal(data []byte, v any) (err error) {
	d := decoder{data: data}
	defer func() {
		if failed := recover(); failed != nil {
			if failure, ok := failed.(failure); ok {
				err = failure
				return
			}
			panic(failed)
		}
	}()
	d.value(reflect.ValueOf(v).Elem())
	d.blank()
	if d.pos < len(d.data) {
		d.fail("more after the value")
	}
	return nil
}

// A failure is an error in the text. It is thrown to Unmarshal.
type failure struct {
	what string
	at   int
}

func (f failure) Error() string { return fmt.Sprintf("JSON: %s at byte %d", f.what, f.at) }

// A decoder reads data from pos on.
type decoder struct {
	data  []byte
	pos   int
	depth int
}

func (d *decoder) fail(what string) { panic(failure{what, d.pos}) }

// blank skips white space.
func (d *decoder) blank() {
	for d.pos < len(d.data) && (d.data[d.pos] == ' ' || d.data[d.pos] == '\n' || d.data[d.pos] == '\t' || d.data[d.pos] == '\r') {
		d.pos++
	}
}

// peek returns the next byte that is no white space, or 0 at the end.
func (d *decoder) peek() byte {
	d.blank()
	if d.pos == len(d.data) {
		return 0
	}
	return d.data[d.pos]
}

// expect skips white space and the byte c, which must follow.
func (d *decoder) expect(c byte) {
	if d.peek() != c {
		d.fail("no " + strconv.QuoteRune(rune(c)))
	}
	d.pos++
}

// word skips a word of JSON, which must follow.
func (d *decoder) word(w string) {
	if !bytes.HasPrefix(d.data[d.pos:], []byte(w)) {
		d.fail("no " + w)
	}
	d.pos += len(w)
}

// value reads the next value into v.
func (d *decoder) value(v reflect.Value) {
	c := d.peek()
	if c == 'n' {
		d.word("null")
		switch v.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			v.SetZero()
		}
		return
	}
	if v.Kind() == reflect.Struct && v.Addr().Type().NumMethod() > 0 {
		if own, ok := v.Addr().Interface().(json.Unmarshaler); ok {
			if err := own.UnmarshalJSON(d.raw()); err != nil {
				d.fail(err.Error())
			}
			return
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(c == 't')
		if c == 't' {
			d.word("true")
		} else {
			d.word("false")
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(d.number(), 10, v.Type().Bits())
		if err != nil {
			d.fail("no integer of the right size")
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(d.number(), 10, v.Type().Bits())
		if err != nil {
			d.fail("no natural number of the right size")
		}
		v.SetUint(n)
	case reflect.String:
		v.SetString(string(d.text()))
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		d.value(v.Elem())
	case reflect.Slice:
		d.slice(v)
	case reflect.Map:
		d.texts(v)
	case reflect.Struct:
		d.object(func(name []byte, hint int) int { return d.member(v, name, hint) })
	default:
		d.fail("no value for the type " + v.Type().String())
	}
}

// object reads an object. It calls member for each member, with its name and the number that member returned before.
func (d *decoder) object(member func(name []byte, hint int) int) {
	d.open('{')
	hint := 0
	for first := true; d.peek() != '}'; first = false {
		if !first {
			d.expect(',')
		}
		d.blank()
		name := d.text()
		d.expect(':')
		hint = member(name, hint)
	}
	d.close()
}

// open skips the beginning of an array or object.
func (d *decoder) open(c byte) {
	if d.depth++; d.depth > maxDepth {
		d.fail("too deep")
	}
	d.expect(c)
}

// close skips the end of an array or object.
func (d *decoder) close() {
	d.pos++
	d.depth--
}

// member reads the member name of the struct v. It returns the number of the field that probably comes next.
func (d *decoder) member(v reflect.Value, name []byte, hint int) int {
	fields := fieldsOf(v.Type())
	n := find(fields, name, hint)
	if n < 0 {
		d.skip()
		return hint
	}
	if f := &fields[n]; f.bytes {
		d.fromBytes(f.in(v))
	} else {
		d.value(f.in(v))
	}
	return n + 1
}

// find returns the number of the field with this name, or -1. It begins at the field number hint.
func find(fields []field, name []byte, hint int) int {
	for i := range fields {
		if n := (hint + i) % len(fields); fields[n].name == string(name) {
			return n
		}
	}
	for n := range fields { // as encoding/json does
		if strings.EqualFold(fields[n].name, string(name)) {
			return n
		}
	}
	return -1
}

// slice reads an array, or base64, into the slice v.
func (d *decoder) slice(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes(d.base64())
		return
	}
	d.open('[')
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for d.peek() != ']' {
		if v.Len() > 0 {
			d.expect(',')
		}
		if v.Len() == v.Cap() {
			v.Grow(1)
		}
		v.SetLen(v.Len() + 1)
		last := v.Index(v.Len() - 1)
		last.SetZero()
		d.value(last)
	}
	d.close()
}

// texts reads an object into v, which is a map of texts.
func (d *decoder) texts(v reflect.Value) {
	texts, ok := v.Addr().Interface().(*map[string]string)
	if !ok {
		d.fail("no value for the type " + v.Type().String())
	}
	if *texts == nil {
		*texts = map[string]string{}
	}
	d.object(func(name []byte, _ int) int {
		key := string(name)
		var text string
		d.value(reflect.ValueOf(&text).Elem())
		(*texts)[key] = text
		return 0
	})
}

// fromBytes reads what the tag codec:"bytes" has written into v, a string or a list of strings.
func (d *decoder) fromBytes(v reflect.Value) {
	data := string(d.base64())
	if v.Kind() == reflect.String {
		v.SetString(data)
		return
	}
	list := strings.Split(data, "\x00")
	last := len(list) - 1
	if list[last] != "" {
		d.fail("no NUL at the end of a list")
	}
	v.Set(reflect.ValueOf(list[:last]))
}

// base64 reads a string of base64, or null.
func (d *decoder) base64() []byte {
	if d.peek() == 'n' {
		d.word("null")
		return nil
	}
	text := d.text()
	data := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(data, text)
	if err != nil {
		d.fail("no base64")
	}
	return data[:n]
}
