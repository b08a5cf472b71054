package hold

import "time"

const (
	// replyPatience is how long a reply waits for the program to read. A program may look for input now and then,
	// and never sleep in a read.
	replyPatience = 100 * time.Millisecond

	// replyTime is how long a reply is kept for a program that does not read single keys. Programs that ask wait for
	// a second or two.
	replyTime = 5 * time.Second
)

// A heldReply is the terminal's answer to a query of a program. A program that reads lines would take it for text, and so
// would a program that comes after the one that asked.
type heldReply struct {
	data  []byte
	asked int64 // offset of the query
	since time.Time
}

// The replies are those that the input writer keeps until a program reads them.
type replies struct {
	held   []heldReply
	bytes  int           // of held
	unread bool          // the program may not have read the last replies yet
	until  time.Time     // when nobody looks any more whether it has
	pause  time.Duration // until the next look
	deaf   int           // foreground process group that did not sleep in a read while a reply waited; 0 for none
}

// look returns a channel that delivers when something may have become of the replies, or nil if there are none.
func (r *replies) look() <-chan time.Time {
	if len(r.held) == 0 && !r.unread {
		return nil
	}
	return time.After(r.pause)
}

// hold keeps a reply. What the terminal would not take ahead of a reader is dropped.
func (t *inputWriter) hold(k keystrokes) {
	r := &t.replies
	if r.bytes+len(k.data) > queueBytes {
		return
	}
	r.held = append(r.held, heldReply{data: k.data, asked: k.asked, since: time.Now()})
	r.bytes += len(k.data)
	r.pause = lookFirst
}

// typeReplies types the replies that a program reads now, and drops those that none will read.
func (t *inputWriter) typeReplies() {
	r := &t.replies
	for len(r.held) > 0 {
		next := r.held[0]
		now, never := t.replyDue(next)
		if !now && !never {
			break
		}
		r.held, r.bytes = r.held[1:], r.bytes-len(next.data)
		if now {
			t.touch(next.data)
			_ = t.tty.Write(next.data) // a program that is gone needs no reply
			t.input.repliedAt.Store(time.Now().UnixNano())
			r.unread, r.until, r.pause = true, time.Now().Add(replyTime), lookFirst
		}
	}
	if r.unread && len(r.held) == 0 {
		t.noteRead()
	}
	r.pause = min(2*r.pause, lookMost)
}

// replyDue reports whether a reply is to be typed now, or never.
func (t *inputWriter) replyDue(r heldReply) (now, never bool) {
	m, err := t.tty.Modes()
	old := time.Since(r.since) > replyTime
	switch {
	case err != nil || t.input.ended.Load():
		return false, true
	case m.Canonical:
		return false, old
	case !t.readsReply(r):
		return false, false
	}
	unread, err := t.tty.Unread()
	if !t.input.caughtUp() && !old { // the output may say that the command is over
		return false, false
	}
	takes := t.askShell(func(s *shell) bool { return s.takesReply(r, err == nil && unread == 0) })
	return takes, !takes
}

// readsReply reports whether a program reads single keys, or has had time to begin.
func (t *inputWriter) readsReply(r heldReply) bool {
	if _, ok := t.watch.Blocked(); ok || !t.watch.Sees() {
		t.replies.deaf = 0
		return true
	}
	group, err := t.tty.Foreground()
	if err != nil || group == t.replies.deaf {
		return true
	}
	if time.Since(r.since) < replyPatience {
		return false
	}
	t.replies.deaf = group
	return true
}

// noteRead tells the shell once the replies were read. Before the shell edits its next line, it was the command that read
// them.
func (t *inputWriter) noteRead() {
	raw := func() bool { m, err := t.tty.Modes(); return err == nil && !m.Canonical } // otherwise half a line does not count as unread
	read := false
	if raw() {
		unread, err := t.tty.Unread()
		read = err == nil && unread == 0 && raw() && t.input.caughtUp()
	}
	if read {
		t.askShell(func(s *shell) bool { s.repliesRead(); return true })
	}
	if read || time.Now().After(t.replies.until) {
		t.replies.unread = false
	}
}

// discardReplies empties the input queue of the terminal, if there are only replies in it that the command before has not
// read.
func (t *inputWriter) discardReplies() {
	if t.askShell(func(s *shell) bool { return s.repliesLeft }) {
		_ = t.discardInput() // the shell may have read some of them: the next command still clears its line
	}
}

// askShell has the loop ask the shell part.
func (t *inputWriter) askShell(ask func(*shell) bool) bool {
	answer := make(chan bool)
	t.input.done <- func() { answer <- ask(t.input.shell) }
	return <-answer
}

// takesReply reports whether the program that asked may still read a reply, which is then typed. empty says that all input
// before it was read. At the prompt it may also be the shell that asked; its empty line may be cleared as well.
func (s *shell) takesReply(r heldReply, empty bool) bool {
	if s.integrated() && r.asked < s.over {
		return false
	}
	switch {
	case s.prompt.ready && s.touched: // a client's text may be in the line
	case s.prompt.ready, empty:
		s.repliesLeft = true
	}
	if run := s.current; run != nil && !run.begun {
		run.replied = true
	}
	return true
}

// repliesRead notes that all replies were read.
func (s *shell) repliesRead() {
	if !s.prompt.ready {
		s.repliesLeft = false
	}
}

// outlived notes that the command before the offset is over, and so are its queries.
func (s *shell) outlived(at int64) {
	s.over = at
	if s.repliesLeft && !s.prompt.ready { // not when the shell only draws its prompt again
		_ = s.typeKeys(keystrokes{urgency: reply, discard: true}) // replies to later queries come behind it
	}
}
