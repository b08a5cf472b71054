package stack

import (
	"path/filepath"
	"strings"

	"devtools/stack/line"
)

// A Class is what a command line does.
type Class string

// The classes. Server, Watcher and WatchIfTTY keep running.
const (
	Server      Class = "server"
	Watcher     Class = "watcher"
	WatchIfTTY  Class = "watch-if-tty" // a watcher where its output is a terminal, else it ends by itself
	Build       Class = "build"
	Test        Class = "test"
	Oneshot     Class = "oneshot"
	Interactive Class = "interactive" // it ends when a person says so
	Unknown     Class = "unknown"
)

// Long reports whether a command of this class keeps running in a terminal.
func (c Class) Long() bool { return c == Server || c == Watcher || c == WatchIfTTY }

// rank says which part of a line decides for the whole.
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

// launch says what to do with a command of this class.
func (c Class) launch() string {
	switch c {
	case Server, Watcher, WatchIfTTY:
		return "background"
	case Build, Test, Oneshot:
		return "block"
	}
	return "ask"
}

// does says it in words.
func (c Class) does() string {
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

// A Confidence is how sure a claim is.
type Confidence int

// The confidences. A claim that rests on a name or on a look into code is low.
const (
	Low Confidence = iota
	Medium
	High
)

// String is the word for it.
func (c Confidence) String() string { return [...]string{"low", "medium", "high"}[c] }

// A Verdict is what is known of a command line.
type Verdict struct {
	Command    string
	Class      Class
	Confidence Confidence
	Reason     string   // a sentence: the rule, and the part of the line that it speaks of
	Bounded    string   // the form of the command that ends by itself, "" where none is known
	Detaches   bool     // it leaves something running
	Launch     string   // background, block, or ask where it depends on a person
	Port       int      // the port that the line names, 0 if none
	Chain      []string // the command, what that runs, and so on to what decides; nil if it decides itself
}

// Classify says what a command line, as it would be typed into bash in the folder dir, does. Scripts are looked up in
// the workspace of dir and followed. Nothing is executed, and no file outside of the workspace is read.
func Classify(command, dir string) Verdict {
	j := newJudge(dir)
	defer j.close()
	f := j.line(command, spot{dir: j.dir})
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

// A finding is what is known of a part of a line, or of all of it.
type finding struct {
	class      Class
	confidence Confidence
	reason     string
	bounded    string // what to write in its place
	detaches   bool
	port       int
	chain      []string // from this part to what decides
	runs       []string // the commands that it comes to, scripts of the same project followed
	resolved   bool     // a script was followed
	variable   bool     // bounded only sets a variable before the command
}

// A spot is where and how a part of a line runs.
type spot struct {
	dir   string // absolute, "" if it is not known
	fed   bool
	depth int // of scripts that call scripts
	env   []string
	text  string // the part as it stands in its line
}

// The bounds of one classification.
const (
	mostScripts = 5   // that call one another
	mostLines   = 400 // looked at in all
	mostRuns    = 100 // commands that are told
)

// deeper is the same spot for what is a step further down.
func (at spot) deeper() spot {
	at.depth++
	return at
}

// line classifies a line of shell, once where no file has a say in it.
func (j *judge) line(text string, at spot) finding {
	key := lineKey{text, at.fed}
	if f, ok := j.findings[key]; ok {
		return f
	}
	looked := j.looked
	f := j.newLine(text, at)
	if j.findings != nil && j.looked == looked && j.count <= mostLines {
		j.findings[key] = f
	}
	return f
}

func (j *judge) newLine(text string, at spot) finding {
	if j.count++; j.count > mostLines {
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
		findings[i] = j.part(text, part, at)
	}
	all := merge(findings)
	all.bounded = boundedLine(text, parts, findings)
	return all
}

func unknown(reason string) finding { return finding{class: Unknown, reason: reason} }

// part classifies a simple command of a line.
func (j *judge) part(text string, part line.Part, at spot) finding {
	at.text = text[part.Start:part.End]
	at.fed = at.fed || part.Fed
	at.env = part.Env
	if part.Dir != (line.Word{}) {
		at.dir = j.goes(at.dir, part.Dir)
	}
	f := j.argv(part.Args, 0, at)
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

// goes follows a cd.
func (j *judge) goes(from string, to line.Word) string {
	switch {
	case to.Open || from == "":
		return ""
	case filepath.IsAbs(to.Text):
		return to.Text
	}
	return filepath.Join(from, to.Text)
}

// merge returns what a whole line does by its parts: the part of the highest rank decides.
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
			all.confidence = f.confidence // each has to end, for the whole to end
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

// boundedLine returns a line in which each part that keeps running has the form that ends, "" where one has none.
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

// quoted is a piece of a line in a sentence, cut where it is long.
func quoted(text string) string {
	const most = 80
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return `"` + text + `"`
}

// ClassifyArgv says what a program does with these arguments, which no shell has a hand in.
func ClassifyArgv(argv []string, dir string) Verdict {
	var words []string
	for _, arg := range argv {
		words = append(words, quote(arg))
	}
	return Classify(strings.Join(words, " "), dir)
}
