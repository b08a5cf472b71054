package hosts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A node is a value in a JSON text, which stays as it is around an insertion.
type node struct {
	kind       byte // '{', '[', or 0 for another value
	start, end int  // its text
	keys       []string
	begins     []int  // where each member begins: at its key, or at the element
	members    []node // values of an object, elements of an array
}

// A parser reads a valid JSON text.
type parser struct {
	text    []byte
	decoder *json.Decoder
	err     error
}

// parseJSON returns the value of a text. It refuses what JSON does not have, such as comments and a byte order mark, and a key that an
// object has twice, of which two readers could take two values.
func parseJSON(text []byte) (node, error) {
	if !json.Valid(text) {
		return node{}, errors.New("it is not plain JSON")
	}
	p := parser{text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	p.decoder.UseNumber() // also one that no float64 holds
	n := p.value()
	return n, p.err
}

// value reads the next value. Valid has bounded its depth.
func (p *parser) value() (n node) {
	n.start = p.next()
	token, _ := p.decoder.Token()
	if delim, ok := token.(json.Delim); ok {
		n.kind = byte(delim)
	}
	seen := map[string]bool{}
	for n.kind != 0 && p.decoder.More() {
		n.begins = append(n.begins, p.next())
		if n.kind == '{' {
			token, _ = p.decoder.Token()
			key := token.(string)
			if seen[key] {
				p.err = fmt.Errorf("it has the key %q twice", key)
			}
			seen[key], n.keys = true, append(n.keys, key)
		}
		n.members = append(n.members, p.value())
	}
	if n.kind != 0 {
		_, _ = p.decoder.Token()
	}
	n.end = int(p.decoder.InputOffset())
	return n
}

// next returns where the next token begins.
func (p *parser) next() int {
	rest := p.text[p.decoder.InputOffset():]
	return len(p.text) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
}

// of returns the text of a value.
func (n node) of(text []byte) string { return string(text[n.start:n.end]) }

// same reports whether two JSON texts have the same value.
func same(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// path returns the values that lead to that of an entry, from the root on, as far as they are there.
func (e *Entry) path(content []byte) ([]node, error) {
	root, err := parseJSON(content)
	path := []node{root}
	for _, key := range e.At {
		last := path[len(path)-1]
		at := slices.Index(last.keys, key)
		if at < 0 {
			break
		}
		path = append(path, last.members[at])
	}
	return path, err
}

// insertJSON works as insert. An empty file becomes an object.
func (e *Entry) insertJSON(content []byte) (made edit, err error) {
	if len(bytes.Trim(content, " \t\r\n")) == 0 {
		made, err = e.insertJSON([]byte("{}"))
		made.Text, made.offset = "{"+made.Text+"}\n", len(content)
		return made, err
	}
	path, err := e.path(content)
	if err != nil {
		return edit{}, err
	}
	depth := len(path) - 1
	into := path[depth]
	made = edit{Entry: e.Name, Values: e.Values, Depth: depth}
	if e.Values == nil {
		made.Values = []string{e.Value}
	}
	switch {
	case depth < len(e.At) && into.kind == '{':
		value := e.Value
		for _, key := range slices.Backward(e.At[depth+1:]) {
			value = fmt.Sprintf("{%q:%s}", key, value)
		}
		made.offset, made.Text = into.add(content, fmt.Sprintf("%q: ", e.At[depth]), []string{value})
	case depth == len(e.At) && e.Values != nil && into.kind == '[':
		made.Values = slices.DeleteFunc(slices.Clone(e.Values), func(value string) bool {
			return slices.ContainsFunc(into.members, func(n node) bool { return same(n.of(content), value) })
		})
		made.offset, made.Text = into.add(content, "", made.Values)
	case depth < len(e.At) || !same(into.of(content), e.Value):
		return edit{}, errDiffers
	}
	return made, nil
}

// stripJSON takes out of a text that somebody has written anew, as hosts do with their own files, the values of an edit, and the lists and
// objects that are empty then, if the edit had made them.
func (e *Entry) stripJSON(content []byte, was edit) []byte {
	ours := func(n node) bool {
		return slices.ContainsFunc(was.Values, func(value string) bool { return same(n.of(content), value) })
	}
	for {
		path, err := e.path(content)
		depth := len(path) - 1
		if err != nil || depth < len(e.At) {
			return content
		}
		at := slices.IndexFunc(path[depth].members, ours)
		if e.Values == nil && ours(path[depth]) {
			depth--
			at = slices.Index(path[depth].keys, e.At[depth])
		} else if e.Values == nil || at < 0 {
			return content
		}
		for depth > max(0, was.Depth) && len(path[depth].members) == 1 {
			depth--
			at = slices.Index(path[depth].keys, e.At[depth])
		}
		content = path[depth].cut(content, at)
	}
}

// cut returns a text without a member, and without the comma beside it.
func (n node) cut(content []byte, at int) []byte {
	from, to := n.start+1, n.end-1
	if at+1 < len(n.members) {
		from, to = n.begins[at], n.begins[at+1]
	} else if at > 0 {
		from, to = n.members[at-1].end, n.members[at].end
	}
	return slices.Concat(content[:from], content[to:])
}

// add returns the text that adds values to an object, with their key, or to an array, and where. It is the layout of the file.
func (n node) add(content []byte, key string, values []string) (offset int, text string) {
	line, unit := withLineEnds("\n", content), "  "
	if _, first, ok := bytes.Cut(content, []byte("{"+line)); ok {
		unit = cmp.Or(blanks(first), unit)
	}
	closing := blanks(content[bytes.LastIndexByte(content[:n.start], '\n')+1:])
	offset, before, indent, after := n.start+1, line, closing+unit, ""
	if last := len(n.members) - 1; last >= 0 {
		offset = n.members[last].end
		begin := content[bytes.LastIndexByte(content[:n.begins[last]], '\n')+1 : n.begins[last]]
		if indent = blanks(begin); len(indent) < len(begin) { // it is not on a line of its own
			before, line, indent = " ", "", ""
		}
	} else if !strings.Contains(n.of(content), "\n") {
		after = line + closing
	}
	for i, value := range values {
		if line != "" {
			var out bytes.Buffer
			_ = json.Indent(&out, []byte(value), indent, unit) // it is valid
			value = strings.ReplaceAll(out.String(), "\n", line)
		}
		if i > 0 || len(n.members) > 0 {
			text += ","
		}
		text += before + indent + key + value
	}
	return offset, text + after
}

// blanks returns the blanks and tabs at the beginning of a text.
func blanks(text []byte) string {
	return string(text[:len(text)-len(bytes.TrimLeft(text, " \t"))])
}
