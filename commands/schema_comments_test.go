package commands

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A sourceType is what the source says about a struct type or a type with constants.
type sourceType struct {
	doc    string
	fields map[string]string      // comments by the names of the fields
	nested map[string]*sourceType // by the names of the fields whose type is a struct without a name
}

// A sourceConst is a constant that is a string.
type sourceConst struct {
	name, typ, value, doc string
}

// A sourcePackage is the source of a package, for all platforms.
type sourcePackage struct {
	types  map[string]*sourceType
	consts []sourceConst
}

// source returns the source of a package of this module.
func (g *schemaMaker) source(path string) *sourcePackage {
	if g.packages[path] == nil {
		folder := filepath.Join("..", strings.TrimPrefix(path, "devtools/"))
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			g.t.Fatalf("no source of package %s in %s: %v", path, folder, err)
		}
		p := &sourcePackage{types: map[string]*sourceType{}}
		for _, name := range files {
			if !strings.HasSuffix(name, "_test.go") {
				p.read(g.t, name)
			}
		}
		g.packages[path] = p
	}
	return g.packages[path]
}

func (p *sourcePackage) read(t *testing.T, name string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				of := &sourceType{doc: oneParagraph(spec.Doc)}
				if of.doc == "" {
					of.doc = oneParagraph(group.Doc)
				}
				if struc, ok := spec.Type.(*ast.StructType); ok {
					of.readFields(struc)
				}
				p.types[spec.Name.Name] = of
			case *ast.ValueSpec:
				if group.Tok == token.CONST {
					p.readConst(spec)
				}
			}
		}
	}
}

func (p *sourcePackage) readConst(spec *ast.ValueSpec) {
	if len(spec.Values) != 1 {
		return
	}
	literal, ok := spec.Values[0].(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return
	}
	c := sourceConst{name: spec.Names[0].Name, doc: comment(spec.Doc, spec.Comment)}
	if typ, ok := spec.Type.(*ast.Ident); ok {
		c.typ = typ.Name
	}
	c.value, _ = strconv.Unquote(literal.Value)
	p.consts = append(p.consts, c)
}

func (of *sourceType) readFields(struc *ast.StructType) {
	of.fields, of.nested = map[string]string{}, map[string]*sourceType{}
	for _, field := range struc.Fields.List {
		for _, name := range field.Names {
			of.fields[name.Name] = comment(field.Doc, field.Comment)
			if inner, ok := field.Type.(*ast.StructType); ok {
				nested := &sourceType{doc: of.fields[name.Name]}
				nested.readFields(inner)
				of.nested[name.Name] = nested
			}
		}
	}
}

// comment returns the comment above, otherwise the one behind.
func comment(above, behind *ast.CommentGroup) string {
	if text := oneParagraph(above); text != "" {
		return text
	}
	return oneParagraph(behind)
}

var docLink = regexp.MustCompile(`\[(\w+)\]`)

func oneParagraph(group *ast.CommentGroup) string {
	if group == nil {
		return ""
	}
	return docLink.ReplaceAllString(strings.Join(strings.Fields(group.Text()), " "), "$1")
}

// ofType returns what the source says about a named type.
func (g *schemaMaker) ofType(typ reflect.Type) *sourceType {
	of := g.source(typ.PkgPath()).types[typ.Name()]
	if of == nil {
		g.t.Fatalf("no source of the type %v", typ)
	}
	return of
}

// A value is one of the values that a member can have.
type value struct {
	text, doc string
}

// constants returns the values of the constants of a package for which match is true.
func (g *schemaMaker) constants(path string, match func(sourceConst) bool) (values []value) {
	for _, c := range g.source(path).consts {
		if match(c) {
			values = append(values, value{c.value, c.doc})
		}
	}
	return values
}

var listOfValues = regexp.MustCompile(`^(?:(?:""|[\w-]+), )*(?:""|[\w-]+) or (?:""|[\w-]+)$`)

// splitValues takes a comment apart that ends with a list of values, such as "its purpose: dev, build or test". It
// returns the text before the list and behind it. If there is no list, the whole comment is the text.
func splitValues(comment string) (text string, values []value) {
	clause, rest := cutAt(comment, ";", ".")
	for head, list := "", clause; ; {
		if listOfValues.MatchString(list) {
			for _, word := range strings.Split(strings.ReplaceAll(list, " or ", ", "), ", ") {
				values = append(values, value{text: strings.Trim(word, `"`)})
			}
			if rest != "" {
				head = strings.TrimPrefix(head+"; "+rest, "; ")
			}
			return head, values
		}
		before, after, ok := strings.Cut(list, ": ")
		if !ok {
			return comment, nil
		}
		head, list = strings.TrimPrefix(head+": "+before, ": "), after
	}
}

// cutAt returns what is before the first of the separators, and what is behind it.
func cutAt(text string, separators ...string) (before, after string) {
	before = text
	for _, separator := range separators {
		if head, tail, ok := strings.Cut(text, separator); ok && len(head) < len(before) {
			before, after = head, strings.TrimSpace(tail)
		}
	}
	return before, after
}

// namesFirst finds a comment that begins with the values of another member, for which it is.
var namesFirst = regexp.MustCompile(`^[a-z_]+(, [a-z_]+)*: `)

// articled finds the article before the name of a type.
var articled = regexp.MustCompile(`^An? `)

// article returns the article for the name of an object.
func article(name string) string {
	if strings.ContainsAny(name[:1], "AEIO") || strings.HasPrefix(name, "Un") {
		return "An"
	}
	return "A"
}

// sentence returns a comment as a sentence: with a capital letter and a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if first, rest := text[:1], text[1:]; !namesFirst.MatchString(text) && first >= "a" && first <= "z" {
		word, _, _ := strings.Cut(text, " ")
		if word == strings.ToLower(word) && word != "devtools" { // not a name
			text = strings.ToUpper(first) + rest
		}
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
