package condition

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParseCondition(t *testing.T) {
	for text, want := range map[string]string{
		"text:a:b":             "text:a:b",
		"gone:^x$":             "gone:^x$",
		"stable:1.5":           "stable:1.5",
		"stable:200ms":         "stable:200ms",
		"change":               "change",
		"exit":                 "exit",
		"exit:0":               "exit:0",
		"exit:143":             "exit:143",
		"input":                "input",
		"prompt":               "prompt",
		"port":                 "port",
		"port:3000":            "port:3000",
		"open:3000":            "open:3000",
		"open:3000,5432":       "open:3000,5432",
		"http:localhost:1/x":   "http:localhost:1/x",
		"http://localhost:1/x": "http://localhost:1/x",
		"http:http://a":        "http:http://a",
		"file:a/b":             "file:/dir/a/b",
		"file:/a":              "file:/a",
	} {
		c, err := ParseCondition(text, "/dir")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if c.String() != text || c.Wire() != want {
			t.Errorf("%s: as %q and to the holder %q, want %q", text, c.String(), c.Wire(), want)
		}
		if again, err := ParseCondition(c.Wire(), "/"); err != nil || again.Wire() != want {
			t.Errorf("%s: the holder reads %q, %v", text, again.Wire(), err)
		}
	}
}

func TestParseConditionRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":            "use one of text:RE",
		"text":        "use text:RE",
		"text:":       "use text:RE",
		"text:(":      `invalid regular expression "(": a ) is missing`,
		"Text:x":      "one of",
		"input:0":     "takes nothing after a colon",
		"exit:":       "use exit[:CODE]",
		"exit:256":    "from 0 to 255",
		"exit:-1":     "from 0 to 255",
		"exit:ok":     "from 0 to 255",
		"stable:0":    "use a duration above 0",
		"stable:-1s":  "use a duration above 0",
		"stable:NaN":  "use a duration above 0",
		"stable:soon": "invalid duration",
		"stable:48h":  "at most 24h",
		"port:":       "use port[:NUMBER]",
		"port:0":      "from 1 to 65535",
		"port:x":      "from 1 to 65535",
		"port:65536":  "from 1 to 65535",
		"port:1,2":    "from 1 to 65535",
		"open:":       "use open:NUMBER",
		"open:1,":     "from 1 to 65535",
		"open:0,1":    "from 1 to 65535",
		"open:1" + strings.Repeat(",1", MostOpen): "at most 16 are allowed",
		"http:":            "use http:URL",
		"http://":          "has no host",
		"http:https://a":   "https is not supported",
		"http:ftp://a":     "ftp is not supported",
		"http:http://a b/": "the URL is malformed",
		"text:" + strings.Repeat("x", maxPattern+1): "the regular expression has",
	} {
		_, err := ParseCondition(text, "/dir")
		if !errors.Is(err, ErrBadCondition) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %.200v, want %q", text, err, want)
		}
	}
}

func FuzzParseCondition(f *testing.F) {
	for _, form := range Conditions() {
		f.Add(form)
	}
	f.Add("stable:500ms")
	f.Add("port:80")
	f.Add("http://[::1]:80/%zz")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCondition(text, "/dir")
		if err != nil {
			if !errors.Is(err, ErrBadCondition) {
				t.Fatalf("%q: %v is no ErrBadCondition", text, err)
			}
			return
		}
		if c.String() != text {
			t.Fatalf("%q reads as %q", text, c.String())
		}
		again, err := ParseCondition(c.Wire(), "/elsewhere")
		if err != nil || again.Wire() != c.Wire() {
			t.Fatalf("%q goes to the holder as %q, which reads it as %q, %v", text, c.Wire(), again.Wire(), err)
		}
		if c.Kind == UntilStable && (c.Quiet <= 0 || c.Quiet > 24*time.Hour) {
			t.Fatalf("%q is %v", text, c.Quiet)
		}
	})
}
