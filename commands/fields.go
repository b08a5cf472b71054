package commands

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/runner/list"
)

// fields are the members that --fields asks for, in this order.
type fields []field

// A field is one member. sub has the members of its object, or of the objects of its list. If sub is empty, the whole
// member is asked for.
type field struct {
	name string
	sub  fields
}

// fieldsFlag returns the flag --fields. It sets the flag --json of root.
func fieldsFlag(root *cli.Command) cli.Flag {
	return &cli.StringFlag{
		Name: "fields", Usage: "print only the members `NAMES`: a,b.c; implies --json",
		Validator: func(string) error { return root.Set("json", "true") },
	}
}

// fieldsOf returns the value of --fields, or nil without the flag.
func fieldsOf(cmd *cli.Command) (all fields) {
	text := cmd.String("fields")
	if text == "" {
		return nil
	}
	for path := range strings.SplitSeq(text, ",") {
		all = all.add(strings.Split(strings.TrimSpace(path), "."))
	}
	return all
}

// add returns all with the member at path.
func (all fields) add(path []string) fields {
	i := slices.IndexFunc(all, func(f field) bool { return f.name == path[0] })
	whole := len(path) == 1
	switch {
	case i < 0 && whole:
		return append(all, field{name: path[0]})
	case i < 0:
		return append(all, field{path[0], fields(nil).add(path[1:])})
	case whole || len(all[i].sub) == 0: // the whole member has all others in it
		all[i].sub = nil
	default:
		all[i].sub = all[i].sub.add(path[1:])
	}
	return all
}

// of returns the members that are asked for of the objects in the member called name. None: whole objects.
func (all fields) of(name string) fields {
	for _, f := range all {
		if f.name == name {
			return f.sub
		}
	}
	return nil
}

// checkFields returns a usage error if --fields names a member that none of the values has, and that is not in their reminder. Each
// value stands for its type.
func checkFields(cmd *cli.Command, values ...any) error {
	if slices.ContainsFunc(values, hasReminder) {
		values = append(slices.Clip(values), list.Reminder{})
	}
	return fieldsOf(cmd).check(typesOf(values), "")
}

// checkCommandFields works as checkFields, for all objects that the command called name prints.
func checkCommandFields(cmd *cli.Command, name string) error {
	if !cmd.IsSet("fields") {
		return nil
	}
	values, ok := results()[name]
	if !ok {
		return usagef("--fields cannot be used with %s, which prints no result with members", name)
	}
	return checkFields(cmd, values...)
}

// check looks for the members in the types. path is the path to them, with a dot at its end.
func (all fields) check(types []reflect.Type, path string) error {
	for _, f := range all {
		known := false
		var inner []reflect.Type
		for _, t := range types {
			if member, ok := memberOf(t, f.name); ok {
				known, inner = true, append(inner, member)
			}
		}
		if !known {
			names := namesIn(types, path)
			if len(names) == 0 {
				return usagef("--fields: no member %q: %s has no members", path+f.name, strings.TrimSuffix(path, "."))
			}
			return notOneOf("--fields: no member", path+f.name, names)
		}
		if err := f.sub.check(inner, path+f.name+"."); err != nil {
			return err
		}
	}
	return nil
}

// typesOf returns the types of values.
func typesOf(values []any) (types []reflect.Type) {
	for _, v := range values {
		types = append(types, reflect.TypeOf(v))
	}
	return types
}

// objectOf returns the type of the objects that t stands for: of a pointer its target, of a list its elements. ok is
// false if t has no members.
func objectOf(t reflect.Type) (object reflect.Type, ok bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Map {
		return t, true
	}
	return t, t.Kind() == reflect.Struct && !t.Implements(reflect.TypeFor[json.Marshaler]()) && !t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// memberOf returns the type of a member of t.
func memberOf(t reflect.Type, name string) (member reflect.Type, ok bool) {
	t, ok = objectOf(t)
	if !ok {
		return nil, false
	}
	if t.Kind() == reflect.Map { // its names are those of people
		return t.Elem(), true
	}
	for _, f := range reflect.VisibleFields(t) {
		if n := memberName(f); n != "" && n == name {
			return f.Type, true
		}
	}
	return nil, false
}

// namesIn returns the names of the members of the types, each behind path.
func namesIn(types []reflect.Type, path string) (names []string) {
	for _, t := range types {
		t, ok := objectOf(t)
		if !ok || t.Kind() == reflect.Map {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			if n := memberName(f); n != "" && !slices.Contains(names, path+n) {
				names = append(names, path+n)
			}
		}
	}
	return names
}

// memberName returns the name of a field in JSON, or "" if it has none.
func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || f.Anonymous && name == "" {
		return ""
	}
	return name
}

// encode writes the members of v as one line of JSON.
func (all fields) encode(w io.Writer, v any) error {
	var text bytes.Buffer
	if err := encode(&text, v); err != nil {
		return err
	}
	return all.write(w, text.Bytes())
}

// write writes the members of an object, which is given as JSON, as one line of JSON.
func (all fields) write(w io.Writer, object []byte) error {
	var text bytes.Buffer
	if err := all.choose(&text, object); err != nil {
		return fmt.Errorf("--fields: %w", err)
	}
	text.WriteByte('\n')
	_, err := w.Write(text.Bytes())
	return err
}

// choose appends the members of the object or of the objects of the list in value to text.
func (all fields) choose(text *bytes.Buffer, value []byte) error {
	value = bytes.TrimSpace(value)
	switch {
	case len(all) == 0 || len(value) == 0:
		text.Write(value)
	case value[0] == '[':
		return all.chooseEach(text, value)
	case value[0] == '{':
		return all.chooseMembers(text, value)
	default: // null
		text.Write(value)
	}
	return nil
}

func (all fields) chooseEach(text *bytes.Buffer, list []byte) error {
	var values []json.RawMessage
	if err := json.Unmarshal(list, &values); err != nil {
		return err
	}
	text.WriteByte('[')
	for i, value := range values {
		if i > 0 {
			text.WriteByte(',')
		}
		if err := all.choose(text, value); err != nil {
			return err
		}
	}
	text.WriteByte(']')
	return nil
}

func (all fields) chooseMembers(text *bytes.Buffer, object []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return err
	}
	begin := byte('{')
	for _, f := range all {
		value, ok := members[f.name]
		if !ok {
			continue
		}
		text.WriteByte(begin)
		begin = ','
		if err := encode(text, f.name); err != nil {
			return err
		}
		text.Truncate(text.Len() - 1) // the line feed
		text.WriteByte(':')
		if err := f.sub.choose(text, value); err != nil {
			return err
		}
	}
	if begin == '{' {
		text.WriteByte(begin)
	}
	text.WriteByte('}')
	return nil
}
