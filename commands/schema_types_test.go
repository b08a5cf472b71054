package commands

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"devtools/ledger"
	"devtools/runner/list"
	"devtools/stack/files"
)

// An object is a kind of JSON object that devtools prints.
type object struct {
	name     string // its name in the schema and in the manual
	typ      reflect.Type
	doc      string
	members  []member
	commands []string // the commands that print it, or an object with it
	result   bool     // a command prints it as a whole
	reminds  bool     // with the members of the reminder
}

type member struct {
	name     string
	doc      string
	typ      memberType
	optional bool     // it may be absent
	owners   []string // the objects of the embedded structs through which it comes, the outermost first
}

// A memberType is the type of a member.
type memberType struct {
	base     string // string, integer, number, boolean, list, map or object
	object   string // name of the object
	of       *memberType
	values   []value // all values, if they are known
	time     bool
	base64   bool
	pattern  string
	nullable bool
}

// text describes the type for people.
func (t memberType) text() string {
	text := t.base
	switch {
	case t.base == "object":
		text = t.object
	case t.base == "list":
		text = "list of " + t.of.text()
	case t.base == "map":
		text = "object, each member a " + t.of.text()
	case t.time:
		text = "time"
	case t.base64:
		text = "string, base64"
	}
	if t.nullable {
		text += " or null"
	}
	return text
}

// unit returns the unit of a member, by the end of its name.
func unit(name string, t memberType) string {
	if t.base != "integer" && t.base != "number" {
		return ""
	}
	for _, u := range []struct{ suffix, unit string }{
		{"BytesPerSecond", "bytes per second"},
		{"bytesCaptured", "bytes"},
		{"Bytes", "bytes"},
		{"Ms", "milliseconds"},
		{"Seconds", "seconds"},
		{"Percent", "percent"},
	} {
		if strings.HasSuffix(name, u.suffix) {
			return u.unit
		}
	}
	return ""
}

// A schemaMaker makes the objects from the Go types.
type schemaMaker struct {
	t        *testing.T
	packages map[string]*sourcePackage
	objects  map[string]*object
	types    map[string]reflect.Type // by the names of the objects
}

// resultObjects returns all objects, by name.
func resultObjects(t *testing.T) map[string]*object {
	t.Helper()
	g := &schemaMaker{t: t, packages: map[string]*sourcePackage{}, objects: map[string]*object{}, types: map[string]reflect.Type{}}
	for _, command := range slices.Sorted(maps.Keys(resultTypes)) {
		for _, zero := range resultTypes[command] {
			typ := reflect.TypeOf(zero)
			g.typeOf(typ, nil, "")
			o := g.objects[objectName(typ)]
			o.result, o.reminds = true, hasReminder(zero)
			g.printedBy(o.name, command)
			if o.reminds {
				reminder := reflect.TypeFor[list.Reminder]()
				g.typeOf(reminder, nil, "")
				g.printedBy(objectName(reminder), command)
			}
		}
	}
	return g.objects
}

// printedBy notes that a command prints an object, and so all objects in it.
func (g *schemaMaker) printedBy(name, command string) {
	o := g.objects[name]
	if slices.Contains(o.commands, command) {
		return
	}
	o.commands = append(o.commands, command)
	for _, m := range o.members {
		t := &m.typ
		for t.of != nil {
			t = t.of
		}
		if t.object != "" {
			g.printedBy(t.object, command)
		}
	}
}

// objectName returns the name of the object of a type.
func objectName(typ reflect.Type) string {
	if name, ok := objectNames[typeName(typ)]; ok {
		return name
	}
	return upper(typ.Name())
}

// typeName returns the name of a type with that of its package, such as runner/watch.Event.
func typeName(typ reflect.Type) string {
	return strings.TrimPrefix(typ.PkgPath(), "devtools/") + "." + typ.Name()
}

func upper(name string) string {
	r := []rune(name)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// typeOf returns the type of a member. source and name are about a struct type without a name.
func (g *schemaMaker) typeOf(typ reflect.Type, source *sourceType, name string) memberType {
	switch typ {
	case reflect.TypeFor[ledger.Time]():
		return memberType{base: "string", time: true}
	case reflect.TypeFor[ledger.Position]():
		return memberType{base: "string", pattern: `^[^:]+:[0-9]+$`}
	case reflect.TypeFor[[]byte]():
		return memberType{base: "string", base64: true}
	}
	switch {
	case typ.Kind() == reflect.Pointer:
		t := g.typeOf(typ.Elem(), source, name)
		t.nullable = true
		return t
	case typ.Implements(jsonMarshaler):
		g.t.Fatalf("%v has its own form in JSON: describe it in typeOf", typ)
	case typ == reflect.TypeFor[files.Layer]():
		t := memberType{base: "string"}
		for layer := range files.CommandLine + 1 {
			t.values = append(t.values, value{text: layer.String()})
		}
		return t
	case typ.Implements(textMarshaler):
		return memberType{base: "string"}
	}
	switch typ.Kind() {
	case reflect.String:
		t := memberType{base: "string"}
		if typ.PkgPath() != "" {
			t.values = g.constants(typ.PkgPath(), func(c sourceConst) bool { return c.typ == typ.Name() })
		}
		return t
	case reflect.Bool:
		return memberType{base: "boolean"}
	case reflect.Float64:
		return memberType{base: "number"}
	case reflect.Slice:
		of := g.typeOf(typ.Elem(), source, name)
		return memberType{base: "list", of: &of}
	case reflect.Map:
		of := g.typeOf(typ.Elem(), source, name)
		return memberType{base: "map", of: &of}
	case reflect.Struct:
		return memberType{base: "object", object: g.objectOf(typ, source, name)}
	}
	if typ.Kind() >= reflect.Int && typ.Kind() <= reflect.Uint64 {
		return memberType{base: "integer"}
	}
	g.t.Fatalf("%v: no JSON type is known for it", typ)
	return memberType{}
}

// objectOf adds the object of a struct type, and returns its name.
func (g *schemaMaker) objectOf(typ reflect.Type, source *sourceType, name string) string {
	if typ.Name() != "" {
		name, source = objectName(typ), g.ofType(typ)
	}
	if other, ok := g.types[name]; ok {
		if other != typ {
			g.t.Fatalf("%v and %v are both named %s: name one of them in objectNames", other, typ, name)
		}
		return name
	}
	doc := source.doc
	if typ.Name() != "" {
		doc = articled.ReplaceAllString(doc, "")
		if rest, ok := strings.CutPrefix(doc, typ.Name()+" "); ok {
			doc = name + " " + rest
		}
		if source.doc != "" && source.doc[0] == 'A' && strings.HasPrefix(doc, name) {
			doc = article(name) + " " + doc
		}
	}
	o := &object{name: name, typ: typ, doc: sentence(doc)}
	g.types[name], g.objects[name] = typ, o
	if o.doc == "" {
		g.t.Errorf("%v has no comment", typ)
	}
	for _, field := range jsonFields(typ) {
		o.members = append(o.members, g.memberOf(o, field, source))
	}
	return name
}

// known returns the values of a member. listed has those in its comment, which may be fewer than the constants of its
// type are. The constants have the meanings.
func (g *schemaMaker) known(name string, listed, constants []value) []value {
	if declared, ok := memberConstants[name]; ok {
		path, names, _ := strings.Cut(declared, " ")
		constants = g.constants("devtools/"+path, func(c sourceConst) bool {
			return slices.ContainsFunc(strings.Fields(names), func(name string) bool {
				prefix, all := strings.CutSuffix(name, "*")
				return c.name == name || all && strings.HasPrefix(c.name, prefix)
			})
		})
	}
	if len(listed) == 0 || len(constants) == 0 {
		return append(listed, constants...)
	}
	for i, v := range listed {
		at := slices.IndexFunc(constants, func(c value) bool { return c.text == v.text })
		if at < 0 {
			g.t.Errorf("%s: its comment names %q, which no constant has", name, v.text)
			continue
		}
		listed[i] = constants[at]
	}
	return listed
}

// errorValues returns the kinds of errors.
func errorValues() (values []value) {
	for _, k := range kinds() {
		if v := (value{text: k.kind}); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// A jsonField is a field as encoding/json sees it.
type jsonField struct {
	reflect.StructField
	name     string
	owner    reflect.Type   // the struct that declares the field
	through  []reflect.Type // the embedded structs down to the owner
	optional bool
}

// jsonFields returns the fields that encoding/json writes for a struct, in its order. Of several with one name it
// takes the one that is embedded least deeply.
func jsonFields(typ reflect.Type) (fields []jsonField) {
	depth := map[string]int{}
	for _, field := range reflect.VisibleFields(typ) {
		tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == "" || tag == "-" {
			continue // an embedded struct, or a field that is not written
		}
		owner, optional, through := typ, strings.Contains(options, "omit"), []reflect.Type(nil)
		for _, i := range field.Index[:len(field.Index)-1] {
			if owner = owner.Field(i).Type; owner.Kind() == reflect.Pointer {
				owner, optional = owner.Elem(), true // its fields are absent if the pointer is nil
			}
			through = append(through, owner)
		}
		if before, ok := depth[tag]; ok {
			if before <= len(field.Index) {
				continue
			}
			fields = slices.DeleteFunc(fields, func(f jsonField) bool { return f.name == tag })
		}
		depth[tag] = len(field.Index)
		fields = append(fields, jsonField{field, tag, owner, through, optional})
	}
	return fields
}

func (g *schemaMaker) memberOf(o *object, field jsonField, source *sourceType) member {
	if field.owner.Name() != "" {
		source = g.ofType(field.owner)
	}
	m := member{name: field.name, optional: field.optional}
	for _, owner := range field.through {
		m.owners = append(m.owners, objectName(owner))
	}
	m.typ = g.typeOf(field.Type, source.nested[field.Name], strings.TrimSuffix(o.name, "Result")+upper(field.name))
	if m.optional {
		m.typ.nullable = false // it is absent in place of null
	}
	text := source.fields[field.Name]
	if m.typ.base == "string" {
		var values []value
		text, values = splitValues(text)
		m.typ.values = g.known(o.name+"."+m.name, values, m.typ.values)
		if m.name == "kind" && field.owner == reflect.TypeFor[errorDetail]() {
			m.typ.values = errorValues()
		}
	}
	m.doc = sentence(strings.TrimPrefix(text, field.Name+" is "))
	if rest, ok := strings.CutPrefix(text, field.Name+" "); ok && !strings.HasPrefix(rest, "is ") {
		m.doc = m.name + " " + rest
	}
	if m.doc == "" {
		g.t.Errorf("%s.%s (%v.%s) has no comment that says what it is", o.name, m.name, field.owner, field.Name)
	}
	return m
}
