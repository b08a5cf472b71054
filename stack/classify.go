package stack

import (
	"path/filepath"
	"strings"

	"devtools/stack/line"
)

// A Class says what a command line does.
type Class string

// The classes. Server, Watcher and WatchIfTTY keep running.
const (
	Server      Class = "server"       // it serves until it is ended
	Watcher     Class = "watcher"      // it works again on each change, until it is ended
	WatchIfTTY  Class = "watch-if-tty" // it watches if its output is a terminal, otherwise it ends by itself
	Build       Class = "build"        // it builds and ends
	Test        Class = "test"         // it runs tests and ends
	Oneshot     Class = "oneshot"      // it does something else and ends
	Interactive Class = "interactive"  // it ends when a person ends it
	Unknown     Class = "unknown"      // nothing is known of it
)

// Long reports whether a command of this class keeps running in a terminal.
func (c Class) Long() bool { return c == Server || c == Watcher || c == WatchIfTTY }

// rank decides between the parts of a line: the part with the highest rank gives the class of the
// line.
func (c Class) rank() int {
	switch c {
	case Server:
		return 7
	case Watcher:
		return 6
	case WatchIfTTY:
		return 5
	case Interactive:
		return 4
	case Unknown:
		return 3
	case Test:
		return 2
	case Build:
		return 1
	}
	return 0
}

// launch says how to run a command of this class.
func (c Class) launch() string {
	switch c {
	case Server, Watcher, WatchIfTTY:
		return "background"
	case Build, Test, Oneshot:
		return "block"
	}
	return "ask"
}

// description describes the class in words.
func (c Class) description() string {
	switch c {
	case Server:
		return "serves until it is ended"
	case Watcher:
		return "watches until it is ended"
	case WatchIfTTY:
		return "watches in a terminal and ends by itself elsewhere"
	case Build:
		return "builds and ends"
	case Test:
		return "tests and ends"
	case Oneshot:
		return "ends by itself"
	case Interactive:
		return "talks to a person"
	}
	return "is not known"
}

// A Confidence says how sure a claim is.
type Confidence int

// The confidences. A claim has a low one if it rests on a name, or on a look into code.
const (
	Low Confidence = iota
	Medium
	High
)

// String returns the word for it.
func (c Confidence) String() string { return [...]string{"low", "medium", "high"}[c] }

// A Verdict describes a command line.
type Verdict struct {
	Command    string
	Class      Class
	Confidence Confidence
	Reason     string   // a sentence with the rule, and with the part of the line that it is about
	Bounded    string   // a form of the command that ends by itself, "" if none is known
	Detaches   bool     // it leaves something running
	Launch     string   // background, block, or ask if it depends on a person
	Port       int      // the port in the line, 0 if there is none
	Chain      []string // the command, the command that it runs, and so on to the one that decides; nil if it decides itself
}

// Classify says what a command line does. It reads the line as bash would in the folder dir. It
// looks scripts up in the workspace of dir and follows them. It executes nothing, and reads no file
// outside the workspace.
func Classify(command, dir string) Verdict {
	cl := newClassifier(dir)
	defer cl.close()
	f := cl.line(command, location{dir: cl.dir})
	return f.verdict(command)
}

func (f finding) verdict(command string) Verdict {
	v := Verdict{
		Command: command, Class: f.class, Confidence: f.confidence, Reason: f.reason + ".", Bounded: f.bounded,
		Detaches: f.detaches, Launch: f.class.launch(), Port: f.port,
	}
	if v.Bounded == command {
		v.Bounded = ""
	}
	if len(f.chain) > 1 || len(f.chain) == 1 && f.resolved {
		v.Chain = append([]string{command}, f.chain...)
		if f.chain[0] == strings.TrimSpace(command) {
			v.Chain = f.chain
		}
	}
	return v
}

// A finding describes a line, or a part of it.
type finding struct {
	class      Class
	confidence Confidence
	reason     string
	bounded    string // the form that ends by itself
	detaches   bool
	port       int
	chain      []string // from this part to the one that decides
	runs       []string // the commands that it runs in the end; scripts of the same project are followed
	resolved   bool     // a script was followed
	variable   bool     // bounded only sets a variable before the command
}

// A location says where and how a part of a line runs.
type location struct {
	dir   string // absolute, "" if it is unknown
	fed   bool
	depth int // of scripts that call scripts
	env   []string
	text  string // the part as it is in its line
}

// The bounds of one classification.
const (
	mostScripts = 5   // scripts that call one another
	mostLines   = 400 // lines in all
	mostRuns    = 100 // commands in finding.runs
)

// deeper returns the spot of a script that this one calls.
func (at location) deeper() location {
	at.depth++
	return at
}

// line classifies a line of shell. It keeps the finding, unless a file has influenced it.
func (cl *classifier) line(text string, at location) finding {
	key := lineKey{text, at.fed}
	if f, ok := cl.findings[key]; ok {
		return f
	}
	looked := cl.looked
	f := cl.newLine(text, at)
	if cl.findings != nil && cl.looked == looked && cl.count <= mostLines {
		cl.findings[key] = f
	}
	return f
}

func (cl *classifier) newLine(text string, at location) finding {
	if cl.count++; cl.count > mostLines {
		return unknown("it runs too many scripts to follow them all")
	}
	parts, err := line.Parse(text)
	if err != nil {
		return unknown("its syntax cannot be read as that of bash: " + err.Error())
	}
	if len(parts) == 0 {
		return finding{class: Oneshot, confidence: High, reason: "it runs no program", chain: []string{strings.TrimSpace(text)}}
	}
	findings := make([]finding, len(parts))
	for i, part := range parts {
		findings[i] = cl.part(text, part, at)
	}
	all := merge(findings)
	all.bounded = boundedLine(text, parts, findings)
	return all
}

func unknown(reason string) finding { return finding{class: Unknown, reason: reason} }

// part classifies a simple command of a line.
func (cl *classifier) part(text string, part line.Part, at location) finding {
	at.text = text[part.Start:part.End]
	at.fed = at.fed || part.Fed
	at.env = part.Env
	if part.Dir != (line.Word{}) {
		at.dir = cl.changeFolder(at.dir, part.Dir)
	}
	f := cl.argv(part.Args, 0, at)
	if len(f.runs) == 0 {
		f.runs = []string{at.text}
	}
	if len(f.chain) == 0 || f.resolved && f.chain[0] != at.text {
		f.chain = append([]string{at.text}, f.chain...)
	}
	switch {
	case part.Background:
		if f.class.Long() || f.class == Unknown {
			return finding{
				class: Oneshot, confidence: f.confidence, detaches: true, chain: f.chain, port: f.port, runs: f.runs,
				reason: quoted(at.text) + " goes on in the background",
			}
		}
	case part.Loop && !f.class.Long():
		return finding{
			class: Watcher, confidence: Medium, chain: f.chain, runs: f.runs,
			reason: quoted(at.text) + " stands in a loop that does not end by itself",
		}
	case part.Inner && f.class == Unknown:
		f.class, f.confidence = Oneshot, Medium
		f.reason = quoted(at.text) + " is not known, but what it prints is used"
	case part.Followed && f.class == Unknown:
		f.class, f.confidence = Oneshot, Low
		f.reason = quoted(at.text) + " is not known, but something waits for its end"
	}
	return f
}

// changeFolder returns the folder after a cd, "" if it is unknown.
func (cl *classifier) changeFolder(from string, to line.Word) string {
	switch {
	case to.Open || from == "":
		return ""
	case filepath.IsAbs(to.Text):
		return to.Text
	}
	return filepath.Join(from, to.Text)
}

// merge returns the finding for a line of several parts. The part with the highest rank decides.
func merge(findings []finding) finding {
	best := 0
	for i, f := range findings {
		if f.class.rank() > findings[best].class.rank() || f.class == findings[best].class && f.confidence > findings[best].confidence {
			best = i
		}
	}
	all := findings[best]
	all.runs = nil
	for i, f := range findings {
		all.runs = append(all.runs, f.runs[:min(len(f.runs), mostRuns-len(all.runs))]...)
		all.detaches = all.detaches || f.detaches
		if i != best && !all.class.Long() && all.class != Interactive && f.confidence < all.confidence {
			all.confidence = f.confidence // the line ends when all its parts have ended
			if f.class == Oneshot && f.confidence == Low {
				all.reason += ", and " + f.reason
			}
		}
		if all.port == 0 && f.detaches {
			all.port = f.port
		}
	}
	return all
}

// boundedLine returns the line with each part that keeps running replaced by its bounded form. It
// returns "" if a part has none.
func boundedLine(text string, parts []line.Part, findings []finding) string {
	changed := false
	for i := len(parts) - 1; i >= 0; i-- {
		if f := findings[i]; f.class.Long() || f.class == Interactive {
			if f.bounded == "" || parts[i].Loop {
				return ""
			}
			end := parts[i].End
			if i+1 < len(parts) && parts[i+1].Start < end || strings.ContainsAny(text[parts[i].Start:end], "<>") {
				return ""
			}
			text = text[:parts[i].Start] + f.bounded + text[end:]
			changed = true
		}
	}
	if !changed {
		return ""
	}
	return strings.TrimSpace(text)
}

// quoted quotes a piece of a line for a sentence, and cuts a long one.
func quoted(text string) string {
	const most = 80
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return `"` + text + `"`
}

// ClassifyArgv says what a program does with these arguments, without a shell.
func ClassifyArgv(argv []string, dir string) Verdict {
	var words []string
	for _, arg := range argv {
		words = append(words, quote(arg))
	}
	return Classify(strings.Join(words, " "), dir)
}
