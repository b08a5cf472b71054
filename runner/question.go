package runner

import (
	"devtools/runner/proc"
	"devtools/screen"
)

// read makes of a verdict of waiting and of the picture what the program asks.
func (p *prober) read(v proc.Verdict, pic Picture) *Waiting {
	w := &Waiting{
		Kind: "line", PID: v.PID, Command: v.Comm, Canonical: v.Canonical, Echo: v.Echo, Secret: v.Secret,
		Confidence: string(v.Confidence), Evidence: v.Evidence,
	}
	if v.Secret {
		w.Kind = "password"
	}
	w.Prompt = pic.Snapshot.Text(pic.Snapshot.Cursor.Row-pic.Snapshot.First, true)
	return w
}

func (p *prober) atPrompt(hidden bool) bool {
	_, ok := p.look()
	return ok && hidden && false
}

func (h *holder) journal(sounding) {}

var _ = screen.Visible
