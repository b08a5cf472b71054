package codec

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Marshal returns v as JSON. Unlike json.Marshal it does not escape <, > and &.
func Marshal(v any) ([]byte, error) { return appendValue(make([]byte, 0, 512), reflect.ValueOf(v)) }

func appendValue(b []byte, v reflect.Value) ([]byte, error) {
	if v.Kind() != reflect.Pointer && v.Type().NumMethod() > 0 {
		if own, ok := v.Interface().(json.Marshaler); ok {
			text, err := own.MarshalJSON()
			return append(b, text...), err
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10), nil
	case reflect.String:
		return appendString(b, v.String()), nil
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return append(b, "null"...), nil
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		return appendValue(b, v.Elem())
	case reflect.Slice:
		return appendSlice(b, v)
	case reflect.Map:
		return appendMap(b, v)
	case reflect.Struct:
		return appendStruct(b, v)
	}
	return b, fmt.Errorf("codec: a value of type %s", v.Type())
}

func appendStruct(b []byte, v reflect.Value) (_ []byte, err error) {
	fields := fieldsOf(v.Type())
	b = append(b, '{')
	first := len(b)
	for i := range fields {
		f := &fields[i]
		value := f.in(v)
		if f.omitEmpty && isEmpty(value) || f.omitZero && isZero(value) {
			continue
		}
		if len(b) > first {
			b = append(b, ',')
		}
		b = append(appendString(b, f.name), ':')
		if f.bytes {
			b = appendBytes(b, toBytes(value))
		} else if b, err = appendValue(b, value); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

// isEmpty reports whether omitempty leaves v out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero reports whether omitzero leaves v out.
func isZero(v reflect.Value) bool {
	if v.Kind() == reflect.Struct && v.Type().NumMethod() > 0 {
		if own, ok := v.Interface().(interface{ IsZero() bool }); ok {
			return own.IsZero()
		}
	}
	return v.IsZero()
}

func appendSlice(b []byte, v reflect.Value) (_ []byte, err error) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return appendBytes(b, v.Bytes()), nil
	}
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendValue(b, v.Index(i)); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

// appendMap adds a map of texts, in the order of its keys.
func appendMap(b []byte, v reflect.Value) ([]byte, error) {
	texts, ok := v.Interface().(map[string]string)
	if !ok {
		return b, fmt.Errorf("codec: a value of type %s", v.Type())
	}
	keys := make([]string, 0, len(texts))
	for key := range texts {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	b = append(b, '{')
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(appendString(b, key), ':'), texts[key])
	}
	return append(b, '}'), nil
}

// toBytes returns what the tag codec:"bytes" writes of a string or of a list of strings.
func toBytes(v reflect.Value) (data []byte) {
	if v.Kind() == reflect.String {
		return []byte(v.String())
	}
	for i := range v.Len() {
		data = append(append(data, v.Index(i).String()...), 0)
	}
	return data
}

func appendBytes(b, data []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(b, '"'), data), '"')
}

// appendString adds s in quotes. What is not UTF-8 becomes U+FFFD. U+2028 and U+2029 are escaped, as encoding/json does
// for JavaScript.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	done := 0 // s is written up to here
	for i := 0; i < len(s); {
		c := s[i]
		if ' ' <= c && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if c >= utf8.RuneSelf && (r != utf8.RuneError || size > 1) && r != '\u2028' && r != '\u2029' {
			i += size
			continue
		}
		b = append(b, s[done:i]...)
		switch r {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		}
		i += size
		done = i
	}
	return append(append(b, s[done:]...), '"')
}
