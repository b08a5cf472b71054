package stack

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// pieces reads a document with the reader of ours: "<a" for a start, ">a" for an end, and text.
func pieces(data []byte) (all []string, err error) {
	r := newXMLReader(data)
	for {
		kind, text, err := r.next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		if text = map[xmlKind]string{xmlStart: "<", xmlEnd: ">", xmlText: ""}[kind] + strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
}

// piecesOfXML reads it with encoding/xml.
func piecesOfXML(data []byte) (all []string, err error) {
	d := xml.NewDecoder(strings.NewReader(string(data)))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		piece := ""
		switch token := token.(type) {
		case xml.StartElement:
			piece = "<" + token.Name.Local
		case xml.EndElement:
			piece = ">" + token.Name.Local
		case xml.CharData:
			piece = strings.TrimSpace(string(token))
		}
		if piece != "" {
			all = append(all, piece)
		}
	}
}

// Many references without an end take no more time than as much text.
func TestManyReferences(t *testing.T) {
	text, begin := strings.Repeat("&", 1<<20), time.Now()
	if got := unescapeXML(text); got != text {
		t.Errorf("%d bytes became %d", len(text), len(got))
	}
	if took := time.Since(begin); took > 5*time.Second { // a search for each end in all of the rest takes 20 s and more
		t.Errorf("it took %v", took)
	}
}

func TestXML(t *testing.T) {
	for text, want := range map[string]string{
		`<a><b x="/>">1 &amp; 2</b><c/></a>`:                            "<a <b 1 & 2 >b <c >c >a",
		"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY x '>'>]><a>&x;</a>": "<a &x; >a",
		"<m:a xmlns:m='u'><!-- <b> --><![CDATA[<c>]]></m:a>":            "<a <c> >a",
		"<a>&#65;&#x42;&#99999999;&lt</a>":                              "<a AB&#99999999;&lt >a",
		"<a><b>1</a>":                                                   "<a <b 1 >b >a",
		"<a><b>1":                                                       "<a <b 1 line 1: unexpected EOF",
		"<a>\n<b x='>":                                                  "<a line 2: unexpected EOF",
		"<a>1</b></a>":                                                  "<a 1 line 1: unexpected end element </b>",
		"<a>1 < 2</a>":                                                  "<a 1 line 1: unexpected EOF",
		"<a>1</></a>":                                                   "<a 1 line 1: a name is missing in \"</>\"",
		"<a \n b='1'\n/>\n":                                             "<a >a",
	} {
		got, err := pieces([]byte(text))
		if err != nil {
			got = append(got, err.Error())
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// oddDirective is what encoding/xml takes for a directive without a name.
var oddDirective = regexp.MustCompile(`<![^A-Za-z\[-]`)

// What encoding/xml takes for XML, the reader reads in the same way.
func FuzzXML(f *testing.F) {
	f.Add([]byte("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY x 'y'>]><!-- c --><m:a b='>'>1 &amp; &#x42;<![CDATA[<]]><c/></m:a>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.ReplaceAll(data, []byte("\r"), nil) // which encoding/xml replaces in texts
		got, err := pieces(data)
		want, wrong := piecesOfXML(data)
		if wrong == nil && !oddDirective.Match(data) && (err != nil || !slices.Equal(got, want)) {
			t.Errorf("%q: got %q, %v, want %q", data, got, err, want)
		}
	})
}
