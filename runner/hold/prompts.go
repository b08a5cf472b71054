package hold

import (
	"bytes"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/blocked"
	"devtools/runner/prompt"
	"devtools/runner/wire"
	"devtools/screen"
)

const (
	// maxJournal is how many different prompts of one session are written down.
	maxJournal = 64

	// maxNoted is how many bytes of a prompt are written down, counted from its end.
	maxNoted = 512
)

// prompts returns the patterns of prompts, with those of the workspace. The workspace may change its patterns
// at any time.
func (p *waitWatcher) prompts() *prompt.Book {
	data, err := p.probing.dir.Prompts()
	if p.book != nil && bytes.Equal(data, p.own) {
		return p.book
	}
	own, err := prompt.Own(data, err)
	if p.fault = ""; err != nil {
		p.fault = err.Error()
	}
	p.book, p.own = prompt.NewBook(own), data
	return p.book
}

// scene returns the data that identify the question of a verdict.
func (p *waitWatcher) scene(v blocked.Verdict, pic frame) prompt.Scene {
	s := prompt.Scene{
		Picture: pic.Snapshot, Since: pic.since, Hidden: pic.hidden - pic.scrolled, Blink: pic.caret, Command: v.Comm, Canonical: v.Canonical, Echo: v.Echo,
	}
	if pic.typed != nil {
		typed := pic.typed.Typed
		typed.Row -= pic.scrolled
		typed.Taken = pic.typed.taken(v, p.probing.program.Tty)
		s.Typed = &typed
	}
	return s
}

// read derives the program's question from a verdict of waiting and the picture.
func (p *waitWatcher) read(v blocked.Verdict, pic frame) (w *wire.Waiting, q prompt.Question) {
	scene := p.scene(v, pic)
	q = p.prompts().Read(scene)
	w = &wire.Waiting{
		Kind: string(q.Kind), Prompt: q.Text, PID: v.PID, Command: v.Comm,
		Canonical: v.Canonical, Echo: v.Echo && p.probing.program.Tty != nil, Secret: q.Secret, Drawn: q.Drawn,
		Confidence: string(v.Confidence), Evidence: v.Evidence, Details: p.book.Details(scene, q),
	}
	if p.fault != "" {
		w.Evidence = append(w.Evidence, p.fault)
	}
	p.probing.maskWaiting(w)
	return w, q
}

// atPrompt reports whether the line of the cursor ends as a prompt does, or did before an answer that has got no Enter.
func (p *waitWatcher) atPrompt(v blocked.Verdict, hidden bool) bool {
	pic, ok := p.look()
	return ok && (p.prompts().AtPrompt(prompt.Scene{Picture: pic.Snapshot, Since: pic.since}, hidden) || p.answering(v, pic))
}

// answering is that of questions, in the loop.
func (p *waitWatcher) answering(v blocked.Verdict, pic frame) bool {
	if p.typed == nil {
		return false
	}
	pic.caret = p.still.caretAt(pic.Offset)
	answers := make(chan bool, 1)
	p.probing.done <- func() { answers <- p.probing.answering(v, pic) }
	return <-answers
}

// An askedLine is the line of the visible cursor in which a program last waited. What is typed there comes behind it.
type askedLine struct {
	row  int // from the beginning of the output
	text string
	made prompt.Offer // what the picture then offered
}

// waitedIn takes the picture of a program that waits into account, and what it offers.
func (a *askedLine) waitedIn(picture *screen.Snapshot, made prompt.Offer) {
	if picture.Cursor.Visible && !a.holds(picture) { // otherwise it waits with a part of the answer in the line
		*a = askedLine{picture.First + picture.Cursor.Row, strings.TrimRight(prompt.CursorLine(picture), " "), made}
	}
}

// holds reports whether the cursor is still in the line, behind its text. A long answer goes on in the rows below.
func (a askedLine) holds(picture *screen.Snapshot) bool {
	line := prompt.CursorLine(picture)
	return a.text != "" && picture.Cursor.Visible && strings.HasPrefix(line, a.text) && (picture.First+picture.Cursor.Row == a.row || len(line) > picture.Cols)
}

// An offer is what was last found out about a picture.
type offer struct {
	picture *screen.Snapshot
	made    prompt.Offer
}

// offers reports whether the picture shows what is wanted of it.
func (p *waitWatcher) offers(v blocked.Verdict, wanted blocked.Wanted) bool {
	pic, ok := p.look()
	if !ok || wanted == blocked.WholeScreen && !pic.Snapshot.Modes.Alternate {
		return false
	}
	if p.offered.picture != pic.Snapshot {
		pic.caret = p.still.caretAt(pic.Offset)
		p.offered = offer{pic.Snapshot, p.askedIn.made} // with a part of the answer behind the question
		if p.typed == nil || !p.askedIn.holds(pic.Snapshot) {
			p.offered.made = p.prompts().Offers(p.scene(v, pic))
			if p.answering(v, pic) {
				p.offered.made = max(p.offered.made, p.askedIn.made, prompt.Answer)
			}
		}
	}
	switch wanted {
	case blocked.Command:
		return p.offered.made >= prompt.Command
	case blocked.Question:
		return p.offered.made >= prompt.Answer
	}
	return p.offered.made >= prompt.Keys
}

// promptBack reports whether the line of the cursor is the prompt of a REPL in which commands are run.
func (p *waitWatcher) promptBack() bool {
	known := p.probing.prompt.Load()
	if known == nil {
		return false
	}
	pic, ok := p.look()
	return ok && known.after(prompt.CursorLine(pic.Snapshot)) != prompt.Elsewhere
}

// journal writes down a question that was found by the screen, or that no pattern knew. It does so once for
// each prompt, so that the patterns can be improved. It does not if the session is not recorded: a prompt is output.
func (qs *questions) journal(s probeResult) {
	if qs.spec.NoRecord || s.asks.Known && s.verdict.Confidence != blocked.Heuristic {
		return
	}
	text := s.waiting.Prompt
	text = text[max(0, len(text)-maxNoted):]
	key := s.waiting.Kind + "\x00" + text
	if qs.noted[key] || len(qs.noted) >= maxJournal {
		return
	}
	if qs.noted == nil {
		qs.noted = map[string]bool{}
	}
	qs.noted[key] = true
	qs.note(qs.dir.NotePrompt(ledger.PromptNote{
		TS: ledger.Time{Time: time.Now()}, SessionID: qs.session.ID, Command: s.waiting.Command, Prompt: text,
		Kind: s.waiting.Kind, Known: s.asks.Known, Confidence: s.waiting.Confidence, Reason: s.verdict.Reason.String(),
	}))
}
