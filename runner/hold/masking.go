package hold

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/guard/mask"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/track"
	"devtools/runner/wire"
)

const (
	// heldQuiet is how long the output must be silent before what is held back is written: a prompt may end as a secret begins. Until
	// then the program does not count as waiting. A secret in whose first three bytes a program pauses so long is shown up to there.
	heldQuiet = 100 * time.Millisecond

	// heldTyped is how long, from the last byte typed on, what may be the echo of a secret is held back. leastTyped is how many bytes of the
	// secret must have been typed: other words begin with fewer.
	heldTyped  = 2 * time.Second
	leastTyped = mask.Shown + 1

	// heldAgain is when to try again while output waits to be read.
	heldAgain = 10 * time.Millisecond
)

// The masking part masks the secrets in the output, before the transcript and all that is made of it. Without secrets it does
// nothing.
type masking struct {
	*core
	record  func(data []byte, kind transcript.Kind, now time.Time)
	streams map[transcript.Kind]*mask.Stream
	before  []byte       // end of what was written last, of whichever pipe
	typed   *mask.Stream // whether the input of the last line is the beginning of a secret
	typedAt time.Time    // when input was typed last
	due     time.Time    // when what is held back is written; zero: nothing is
}

// begin makes the masks of the spec's secrets, and returns the names of their variables.
func (m *masking) begin() (names []string) {
	var values []string
	for _, pair := range m.spec.Secrets {
		name, value, _ := strings.Cut(pair, "=")
		names, values = append(names, name), append(values, value)
	}
	if m.masks = mask.New(values); m.masks != nil {
		m.streams = map[transcript.Kind]*mask.Stream{transcript.Output: m.masks.Stream(), transcript.Stderr: m.masks.Stream()}
		m.typed = m.masks.Stream()
	}
	return names
}

// output masks a chunk, and returns what is decided of it and of what was held back.
func (m *masking) output(data []byte, kind transcript.Kind, now time.Time) []byte {
	if m.masks == nil {
		return data
	}
	s, sequence := m.streams[kind], endsSequence(data)
	data = s.Write(data)
	if sequence && s.Begun() <= mask.Shown { // the terminal may have to answer it
		data = append(data, s.Release()...)
	}
	m.hold(now)
	m.join(data)
	return data
}

// join masks what a program has printed in parts to its two pipes: the transcript has them side by side.
func (m *masking) join(data []byte) {
	if m.spec.NoTerminal && len(data) > 0 {
		m.before = m.masks.Join(m.before, data)
	}
}

// endsSequence reports whether data ends with an escape sequence: a control sequence, or one of ESC and its final byte (ECMA-48, 5.4 and
// 5.3).
func endsSequence(data []byte) bool {
	if len(data) == 0 || data[len(data)-1] < '0' || data[len(data)-1] > '~' {
		return false
	}
	before := bytes.TrimRight(data[:len(data)-1], " !\"#$%&'()*+,-./0123456789:;<=>?")
	return bytes.HasSuffix(before, []byte("\x1b[")) || bytes.HasSuffix(before, []byte("\x1b")) && !bytes.ContainsAny(data[len(data)-1:], "[]PX^_")
}

// hold sets when to write what is held back.
func (m *masking) hold(now time.Time) {
	held := m.heldBytes()
	m.held.Store(held > 0)
	switch {
	case held == 0:
		m.due = time.Time{}
	case m.exited():
		m.due = now.Add(stopQuiet)
	default:
		m.due = now.Add(heldQuiet)
		if typed := m.typedAt.Add(heldTyped); m.typing() && typed.After(m.due) {
			m.due = typed
		}
	}
}

// typing reports whether what is held back may be the echo of the beginning of a secret that is being typed.
func (m *masking) typing() bool {
	typed := m.typed.Begun()
	return typed >= leastTyped && typed >= m.streams[transcript.Output].Begun()
}

func (m *masking) heldBytes() (n int) {
	for _, s := range m.streams {
		n += s.Held()
	}
	return n
}

// noteTyped takes input that was typed. Enter ends what was typed before.
func (m *masking) noteTyped(data []byte, now time.Time) {
	if m.masks == nil {
		return
	}
	if end := bytes.LastIndexAny(data, "\r\n"); end >= 0 {
		m.typed, data = m.masks.Stream(), data[end+1:]
	}
	m.typed.Write(bytes.Clone(data))
	m.typedAt = now
}

// ended writes what is held back of an output that is at its end.
func (m *masking) ended(kind transcript.Kind) {
	if m.masks != nil {
		m.write(m.streams[kind].End(), kind, time.Now())
		m.hold(time.Now())
	}
}

// release writes all that is held back.
func (m *masking) release(now time.Time) {
	for kind, s := range m.streams {
		m.write(s.Release(), kind, now)
	}
	m.hold(now)
}

func (m *masking) write(data []byte, kind transcript.Kind, now time.Time) {
	if m.join(data); len(data) > 0 {
		m.record(data, kind, now)
	}
}

// deadline returns when what is held back is written, or a zero time.
func (m *masking) deadline() time.Time { return m.due }

// tick writes what is held back when its time has come and nothing waits to be read that may go on with it.
func (m *masking) tick(now time.Time) {
	switch {
	case !due(m.due, now):
	case m.allRead():
		m.release(now)
	default:
		m.due = now.Add(heldAgain)
	}
}

// errSecretName reports a name that has the value of a secret in it. It would stand in paths, which cannot be masked.
var errSecretName = errors.New("the name has the value of a secret in it: use another one")

// checkName returns an error if a secret is in a name.
func (c *core) checkName(name string) error {
	if c.masks.String(name) != name {
		return errSecretName
	}
	return nil
}

// maskLabels returns labels with the secrets in their values masked.
func (c *core) maskLabels(labels map[string]string) map[string]string {
	if c.masks == nil {
		return labels
	}
	masked := make(map[string]string, len(labels))
	for key, value := range labels {
		masked[c.masks.String(key)] = c.masks.String(value)
	}
	return masked
}

// maxName is the length of a process name that the kernel may have cut, TASK_COMM_LEN in proc_pid_comm(5).
const maxName = 15

// maskName masks the secrets in the name of a process.
func maskName(masks *mask.Matcher, name string) string {
	if len(name) >= maxName {
		return masks.Start(name)
	}
	return masks.String(name)
}

// describe returns a process in the form of the ledger.
func describe(masks *mask.Matcher, info proc.Info) ledger.Process {
	args := proc.CommandLine(info.PID)
	if now, err := proc.Read(info.PID); err == nil && now.ID == info.ID && now.Name != info.Name {
		info.Name, args = now.Name, proc.CommandLine(info.PID) // it has executed a program since info was read
	}
	info.Name = maskName(masks, info.Name)
	return track.Describe(info, masks.List(args))
}

// maxCommands is how many bytes of command lines an answer has.
const maxCommands = 1 << 20

// inspect answers what the holder alone knows.
func (h *holder) inspect(l *link, req *wire.Request) {
	if req.Op == wire.OpHolderStatus {
		h.status(l, req)
		return
	}
	resp, size := wire.Response{ID: req.ID}, 0
	for _, info := range pty.Tree() {
		p := describe(h.masks, info)
		if size += len(p.CommandLine); size > maxCommands {
			break
		}
		resp.Processes = append(resp.Processes, p)
	}
	l.answer(resp)
}

// maskWaiting masks what a program asks. Its command line is in it where there are secrets: clients must not read that themselves.
func (c *core) maskWaiting(w *wire.Waiting) {
	if c.masks == nil {
		return
	}
	w.Prompt, w.Command = c.masks.String(w.Prompt), maskName(c.masks, w.Command)
	w.Details.Mask(c.masks.String)
	w.CommandLine = strings.Join(c.masks.List(proc.CommandLine(w.PID)), " ")
	if w.CommandLine == "" {
		w.CommandLine = w.Command
	}
	w.Evidence = slices.Clone(w.Evidence)
	for i, text := range w.Evidence {
		w.Evidence[i] = c.masks.String(text)
	}
}

// maskInput returns input as it may be recorded.
func (c *core) maskInput(taken takenInput) takenInput {
	if c.masks != nil {
		taken.data = []byte(c.masks.String(string(taken.data)))
	}
	return taken
}

// withoutSecrets returns the environment without the secrets.
func withoutSecrets(env, secrets []string) (rest []string) {
	secret := map[string]bool{}
	for _, pair := range secrets {
		secret[pair] = true
	}
	for _, pair := range env {
		if !secret[pair] {
			rest = append(rest, pair)
		}
	}
	return rest
}
