package commands

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// A jsonSchema is a part of the schema, with the keywords in the order in which they are written.
type jsonSchema struct {
	Dialect     string        `json:"$schema,omitempty"`
	Title       string        `json:"title,omitempty"`
	Description string        `json:"description,omitempty"`
	Ref         string        `json:"$ref,omitempty"`
	AllOf       []*jsonSchema `json:"allOf,omitempty"`
	AnyOf       []*jsonSchema `json:"anyOf,omitempty"`
	Type        any           `json:"type,omitempty"` // a string, or a list of them
	Enum        []string      `json:"enum,omitempty"`
	Format      string        `json:"format,omitempty"`
	Pattern     string        `json:"pattern,omitempty"`
	Encoding    string        `json:"contentEncoding,omitempty"`
	Unit        string        `json:"x-unit,omitempty"`
	Items       *jsonSchema   `json:"items,omitempty"`
	Required    []string      `json:"required,omitempty"`
	Properties  schemaMap     `json:"properties,omitempty"`
	Additional  any           `json:"additionalProperties,omitempty"`  // a schema, or false
	Unevaluated any           `json:"unevaluatedProperties,omitempty"` // false
	Defs        schemaMap     `json:"$defs,omitempty"`
}

// A schemaMap is an object whose members are schemas, in an order.
type schemaMap []struct {
	name   string
	schema *jsonSchema
}

func (m *schemaMap) add(name string, schema *jsonSchema) {
	*m = append(*m, struct {
		name   string
		schema *jsonSchema
	}{name, schema})
}

func (m schemaMap) MarshalJSON() ([]byte, error) {
	text := []byte("{")
	for i, member := range m {
		if i > 0 {
			text = append(text, ',')
		}
		var part bytes.Buffer
		if err := encode(&part, member.schema); err != nil {
			return nil, err
		}
		text = append(append(append(text, '"'), member.name...), `":`...)
		text = append(text, part.Bytes()...)
	}
	return append(text, '}'), nil
}

// schemaOf returns the schema of all objects. It is strict in tests alone: there an object has no other members, and a
// time is one. Programs that read results must accept members that later versions add.
func schemaOf(objects map[string]*object, strict bool) *jsonSchema {
	whole := &jsonSchema{
		Dialect:     "https://json-schema.org/draft/2020-12/schema",
		Title:       "devtools",
		Description: "What the commands of devtools print with --json. In $defs, a name that begins with a capital letter is that of an object; the others are commands.",
	}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		o := objects[name]
		def := &jsonSchema{Description: o.doc, Type: "object"}
		switch {
		case o.reminds:
			def.AllOf = []*jsonSchema{reference("Reminder")}
			if strict {
				def.Unevaluated = false
			}
		case strict && name != "Reminder":
			def.Additional = false
		}
		for _, m := range o.members {
			part := m.typ.schema(strict)
			part.Description, part.Unit = m.doc, unit(m.name, m.typ)
			def.Properties.add(m.name, part)
			if !m.optional {
				def.Required = append(def.Required, m.name)
			}
		}
		whole.Defs.add(name, def)
		if o.result {
			whole.AnyOf = append(whole.AnyOf, reference(name))
		}
	}
	for _, command := range slices.Sorted(maps.Keys(resultTypes)) {
		def := &jsonSchema{Description: commandDoc(command)}
		for _, name := range resultNames(command) {
			def.AnyOf = append(def.AnyOf, reference(name))
		}
		whole.Defs.add(command, def)
	}
	return whole
}

func commandDoc(command string) string {
	switch command {
	case "error":
		return "What a command prints on standard error with --json when it fails."
	case "version":
		return "What devtools --version prints with --json."
	}
	return "What devtools " + command + " prints with --json."
}

func reference(object string) *jsonSchema { return &jsonSchema{Ref: "#/$defs/" + object} }

// schema returns the schema of a type.
func (t memberType) schema(strict bool) *jsonSchema {
	s := &jsonSchema{}
	switch t.base {
	case "object":
		s = reference(t.object)
		if t.nullable {
			return &jsonSchema{AnyOf: []*jsonSchema{s, {Type: "null"}}}
		}
		return s
	case "list":
		s.Type, s.Items = "array", t.of.schema(strict)
	case "map":
		s.Type, s.Additional = "object", t.of.schema(strict)
	default:
		s.Type = t.base
	}
	if t.time {
		s.Format = "date-time"
		if strict {
			s.Pattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$`
		}
	}
	if t.base64 {
		s.Encoding = "base64"
	}
	if t.pattern != "" {
		s.Pattern = t.pattern
	}
	for _, v := range t.values {
		s.Enum = append(s.Enum, v.text)
	}
	if t.nullable {
		s.Type = []any{s.Type, "null"}
	}
	return s
}

// schemaJSON returns the schema as it is embedded.
func schemaJSON(objects map[string]*object) ([]byte, error) {
	var compact, indented bytes.Buffer
	if err := encode(&compact, schemaOf(objects, false)); err != nil {
		return nil, err
	}
	err := json.Indent(&indented, compact.Bytes(), "", "  ")
	return indented.Bytes(), err
}
