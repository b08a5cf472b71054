// Package condition has what wait, --ready and --fail look for: text on the screen, ports, URLs, files and changes. It
// parses conditions and checks those on screens, ports, URLs and files. It does not wait for a session: the holder does.
package condition

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrBadCondition reports a text that is not a condition.
var ErrBadCondition = errors.New("invalid condition")

// The kinds of conditions.
const (
	UntilText   = "text"   // the regular expression matches text that the screen shows or has shown since
	UntilGone   = "gone"   // the regular expression matches nothing on the screen
	UntilStable = "stable" // the screen has not changed for the given time
	UntilChange = "change" // the screen has changed
	UntilExit   = "exit"   // the command is finished, with any exit code or with the given one
	UntilInput  = "input"  // the foreground program waits for input
	UntilPrompt = "prompt" // the shell, or a REPL, is back at its prompt
	UntilPort   = "port"   // a process of the session listens on the TCP port, or on any port
	UntilOpen   = "open"   // any process listens on the TCP port, or on each of several
	UntilHTTP   = "http"   // a server answers at the URL with a code below 400
	UntilFile   = "file"   // the file exists
)

// conditionKinds lists the kinds, each with the word for users of what follows its colon. The word stands in brackets if
// it can be left out.
var conditionKinds = []struct{ kind, wants string }{
	{UntilText, "RE"},
	{UntilGone, "RE"},
	{UntilStable, "DURATION"},
	{UntilChange, ""},
	{UntilExit, "[:CODE]"},
	{UntilInput, ""},
	{UntilPrompt, ""},
	{UntilPort, "[:NUMBER]"},
	{UntilOpen, "NUMBER"},
	{UntilHTTP, "URL"},
	{UntilFile, "PATH"},
}

// Most is how many conditions a wait may have.
const Most = 32

// maxPattern is the maximum length of a regular expression, in bytes.
const maxPattern = 16 << 10

// A Condition is something that can come true for a session, such as "text:RE" or "exit".
type Condition struct {
	Kind    string
	text    string // text after the colon
	given   string // condition as the user gave it, if its text is different
	Pattern *regexp.Regexp
	Quiet   time.Duration
	code    *int // exit code; nil for any
	port    int
	open    []int
	url     *url.URL
	path    string
}

// String returns the condition as it was given.
func (c Condition) String() string { return cmp.Or(c.given, c.Wire()) }

// Wire returns the condition in a form that does not depend on a folder.
func (c Condition) Wire() string {
	if c.text == "" {
		return c.Kind
	}
	return c.Kind + ":" + c.text
}

// AboutInput reports whether the condition is about a program that waits for input.
func (c Condition) AboutInput() bool { return c.Kind == UntilInput || c.Kind == UntilPrompt }

// AboutText reports whether the condition is about text that is printed.
func (c Condition) AboutText() bool { return c.Kind == UntilText }

// Conditions returns the possible forms of a condition.
func Conditions() []string {
	var forms []string
	for _, k := range conditionKinds {
		forms = append(forms, formOf(k.kind, k.wants))
	}
	return forms
}

func formOf(kind, wants string) string {
	if wants == "" || wants[0] == '[' {
		return kind + wants
	}
	return kind + ":" + wants
}

// ParseCondition parses a condition. A relative path is relative to the folder dir. The error is ErrBadCondition.
func ParseCondition(text, dir string) (Condition, error) {
	c := Condition{}
	var colon bool
	c.Kind, c.text, colon = strings.Cut(text, ":")
	wants, known := "", false
	for _, k := range conditionKinds {
		if k.kind == c.Kind {
			wants, known = k.wants, true
		}
	}
	switch {
	case !known:
		return c, fmt.Errorf("%q: %w: use one of %s", text, ErrBadCondition, strings.Join(Conditions(), ", "))
	case wants == "" && colon:
		return c, fmt.Errorf("%q: %w: %s takes nothing after a colon", text, ErrBadCondition, c.Kind)
	case wants != "" && c.text == "" && (colon || wants[0] != '['):
		return c, fmt.Errorf("%q: %w: use %s", text, ErrBadCondition, formOf(c.Kind, wants))
	}
	if err := c.parse(dir); err != nil {
		return c, fmt.Errorf("%q: %w: %w", text, ErrBadCondition, err)
	}
	return c, nil
}

// parse parses the text after the colon.
func (c *Condition) parse(dir string) (err error) {
	switch c.Kind {
	case UntilText, UntilGone:
		if len(c.text) > maxPattern {
			return fmt.Errorf("the regular expression has %d bytes: at most %d are allowed", len(c.text), maxPattern)
		}
		c.Pattern, err = pattern("(?m)", c.text)
	case UntilStable:
		if seconds, errNumber := strconv.ParseFloat(c.text, 64); errNumber == nil {
			c.Quiet = time.Duration(seconds * float64(time.Second))
		} else if c.Quiet, err = time.ParseDuration(c.text); err != nil {
			return errors.New("invalid duration: use 500ms, 1.5 or 2s")
		}
		if c.Quiet <= 0 || c.Quiet > 24*time.Hour {
			return errors.New("use a duration above 0, and at most 24h")
		}
	case UntilExit:
		if c.text == "" {
			return nil // any exit code
		}
		code, ok := digits(c.text)
		if !ok || code > 255 {
			return errors.New("use an exit code from 0 to 255")
		}
		c.code = &code
	case UntilPort:
		if c.text == "" {
			return nil // any port
		}
		c.port, err = parsePort(c.text)
	case UntilOpen:
		for one := range strings.SplitSeq(c.text, ",") {
			port, errPort := parsePort(one)
			c.open, err = append(c.open, port), cmp.Or(err, errPort)
		}
		if len(c.open) > MostOpen {
			return fmt.Errorf("%d ports: at most %d are allowed", len(c.open), MostOpen)
		}
	case UntilHTTP:
		return c.parseURL()
	case UntilFile:
		if c.path = c.text; !filepath.IsAbs(c.path) {
			c.path = filepath.Join(dir, c.path)
			c.given, c.text = c.Kind+":"+c.text, c.path
		}
	}
	return err
}

// MostOpen is the maximum number of ports in a condition.
const MostOpen = 16

func parsePort(text string) (int, error) {
	port, ok := digits(text)
	if !ok || port < 1 || port > 65535 {
		return 0, errors.New("use a port number from 1 to 65535")
	}
	return port, nil
}

// digits returns the number in text, which has decimal digits alone.
func digits(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && strings.Trim(text, "0123456789") == ""
}

// parseURL accepts "http://localhost:3000/", "localhost:3000" and "//localhost:3000/". The text after "http:" is the rest
// of a URL or a whole URL.
func (c *Condition) parseURL() (err error) {
	text := c.text
	switch {
	case strings.HasPrefix(text, "//"):
		text = "http:" + text
	case !strings.Contains(text, "://"):
		text = "http://" + text
	}
	if c.url, err = url.Parse(text); err != nil { // its words quote the URL once more
		return errors.New("the URL is malformed: use http://HOST:PORT/PATH")
	}
	switch {
	case c.url.Scheme == "https":
		return errors.New("https is not supported: port:NUMBER waits for the listener")
	case c.url.Scheme != "http":
		return fmt.Errorf("%s is not supported: use http", c.url.Scheme)
	case c.url.Hostname() == "":
		return errors.New("the URL has no host")
	}
	return nil
}

// Exit returns the condition that the command is finished.
func Exit() Condition { return Condition{Kind: UntilExit} }

// Exited reports whether the condition is true of a command that has ended with the exit code, which is nil if nobody knows it.
func (c Condition) Exited(code *int) bool {
	return c.Kind == UntilExit && (c.code == nil || code != nil && *code == *c.code)
}

// AboutExit reports whether a condition, as it was given, is about the end of the command.
func AboutExit(given string) bool {
	kind, _, _ := strings.Cut(given, ":")
	return kind == UntilExit
}

// IsPort reports whether the condition is about a port on which the session listens.
func (c Condition) IsPort() bool { return c.Kind == UntilPort }

// Port returns the TCP port of this machine on which the condition expects the session to listen. It returns 0 if there
// is none.
func (c Condition) Port() int {
	if c.Kind != UntilHTTP || !slices.Contains([]string{"localhost", "127.0.0.1", "::1", "0.0.0.0"}, c.url.Hostname()) {
		return c.port
	}
	port, err := strconv.Atoi(cmp.Or(c.url.Port(), "80"))
	if err != nil {
		return 0
	}
	return port
}

// Open returns the condition that any process listens on each of the TCP ports. There are one to [MostOpen] ports.
func Open(ports ...int) Condition {
	var texts []string
	for _, port := range ports {
		texts = append(texts, strconv.Itoa(port))
	}
	return Condition{Kind: UntilOpen, text: strings.Join(texts, ","), open: ports}
}

// Listens returns the condition that a process of the session listens on the TCP port. Port 0 means any port.
func Listens(port int) Condition {
	c := Condition{Kind: UntilPort, port: port}
	if port != 0 {
		c.text = strconv.Itoa(port)
	}
	return c
}
