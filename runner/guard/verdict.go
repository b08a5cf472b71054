package guard

// judged returns the verdict on a command, or on the whole call if x is nil. With leaf the words of
// [pty] hold where no rule matches.
func (j *judge) judged(x *command, leaf bool) (v Verdict) {
	var of [ofProgram + 1]Verdict
	for i := range j.policy.sets {
		set := &j.policy.sets[i]
		one := set.judged(x, j.call.Kind, leaf)
		if one.Action == Allow && !set.trusted {
			v.Untrusted, one = v.Untrusted || set.role == ofWorkspace, Verdict{}
		}
		of[set.role] = one
	}
	allows := func(r role) bool { return of[r].Action == Allow }
	if allows(ofProgram) || of[ofProgram].Action == Confirm && (allows(ofUser) || allows(ofWorkspace)) {
		of[ofProgram] = Verdict{}
	}
	if of[ofUser].Action == Confirm && allows(ofWorkspace) {
		of[ofUser] = Verdict{}
	}
	untrusted := v.Untrusted
	for _, one := range of {
		v = stricter(v, one)
	}
	v.Untrusted = untrusted && v.Action == Confirm
	return v
}

// judged returns what the first rule of a policy that matches says. A rule that could match counts as the policy says of what is
// computed, unless what comes behind it forbids the command. Of a command that does nothing, only what is forbidden counts.
func (s *ruleSet) judged(x *command, call string, leaf bool) Verdict {
	var perhaps Verdict
	for i := range s.rules {
		r := &s.rules[i]
		fits := no
		if x != nil {
			fits = r.matches(x, call)
		} else if r.Program == nil && r.conditions() == nil && r.holds(call) {
			fits = yes
		}
		reason := r.Reason
		if x != nil && r.Writes != nil && fits == yes && reason != "" {
			reason += ": " + shown(x.shell.judge.masked([]string{x.hit})[0])
		}
		verdict := Verdict{Action: r.action, Rule: r.Name, Reason: reason, File: s.file, Line: r.line}
		if s.file == BuiltIn {
			verdict.Line = 0 // nobody could open it
		}
		switch computed := s.unseen["computed"]; {
		case x != nil && x.idle && r.action != Deny:
		case fits == yes:
			return stricter(perhaps, verdict)
		case fits == maybe && !r.Literal && r.action >= Confirm && computed > Allow && perhaps.Action == Free:
			verdict.Action, verdict.Reason = computed, "what it does is known only when it runs (computed), and this rule could match"
			perhaps = verdict
		}
	}
	key := ptyKey(call)
	if word := s.pty[key]; leaf && word.action > perhaps.Action {
		return Verdict{Action: word.action, Rule: "pty." + key, File: s.file, Line: word.line}
	}
	return perhaps
}
