package guard

import (
	"strings"

	"devtools/stack/line"
)

// record judges a command by the rules. leaf says that it starts nothing itself, so that the words
// of [pty] hold for it.
func (j *judge) record(x *invocation, leaf bool) {
	quiet := len(x.words) > 0 && j.call.Argv == nil && x.table.has("silent") && len(x.written()) == 0 // a command of the shell
	leaf = leaf && !quiet && j.ev.Scripts == 0
	v := j.judged(x, leaf)
	j.applied = j.applied || leaf || v.Rule != ""
	if v.Action != Free && j.call.Unknown == "" {
		v.Command = x.shown()
	}
	if len(j.commands) < mostExplained && len(x.words)+len(x.command.Redirs) > 0 {
		known := len(x.words) == 0 || !strings.ContainsAny(x.words[0], line.Signs)
		j.commands = append(j.commands, Command{Text: x.shown(), Via: strings.Join(j.via, ", "), Known: known, Verdict: v})
	}
	j.strictest(v)
}

// strictest keeps a verdict if it is stricter than that of the commands before.
func (j *judge) strictest(v Verdict) {
	untrusted := j.verdict.Untrusted || v.Untrusted
	if v.Action > j.verdict.Action {
		j.verdict = v
	}
	j.verdict.Untrusted = untrusted
}

// notUnderstood returns the reason for a confirmation of a line that cannot be parsed: where, but not what the parser wants
// there.
func notUnderstood(err error) string {
	reason := "devtools does not understand this line, so a person must look at it"
	if place, _, ok := strings.Cut(err.Error(), ": "); ok {
		return reason + " (" + place + ")"
	}
	return reason + ": " + err.Error()
}

// unknown asks for a confirmation, if there is any rule that could want one, because the call is not understood.
func (j *judge) unknown(reason string) {
	for _, set := range j.policy.sets {
		for _, r := range set.rules {
			if r.Action.Action >= Confirm && r.holds(j.call.Kind) {
				j.strictest(Verdict{Action: Confirm, Reason: reason})
				return
			}
		}
	}
}

// judged returns the verdict on a command, or on the whole call if x is nil. With leaf the words of
// [pty] hold where no rule matches.
func (j *judge) judged(x *invocation, leaf bool) (v Verdict) {
	var of [ofProgram + 1]Verdict
	for i := range j.policy.sets {
		set := &j.policy.sets[i]
		one := set.judged(x, j.call.Kind, leaf, j.ev.Scripts > 0)
		if one.Action == Allow && !set.trusted {
			v.Untrusted, one = v.Untrusted || set.role == ofWorkspace, Verdict{}
		}
		of[set.role] = one
	}
	allowed := func(roles ...role) bool {
		for _, r := range roles {
			if of[r].Action == Allow {
				return true
			}
		}
		return false
	}
	if of[ofProgram].Action == Confirm && allowed(ofUser, ofWorkspace) || of[ofProgram].Action == Allow {
		of[ofProgram] = Verdict{}
	}
	if of[ofUser].Action == Confirm && allowed(ofWorkspace) {
		of[ofUser] = Verdict{}
	}
	untrusted := v.Untrusted
	for _, one := range of {
		if one.Action > v.Action {
			v = one
		}
	}
	v.Untrusted = untrusted && v.Action == Confirm
	return v
}

// judged returns what the first rule of a policy that matches says. A rule that could match asks for a confirmation, unless
// what comes behind it forbids the command.
func (s *ruleSet) judged(x *invocation, call string, leaf, certain bool) Verdict {
	var perhaps Verdict
	for i := range s.rules {
		r := &s.rules[i]
		if x == nil {
			if r.Program == nil && r.Subcommand == nil && r.Flags == nil && r.AllFlags == nil && r.Paths == nil && r.Writes == nil && !r.ReadsPipe && r.holds(call) {
				return Verdict{Action: r.Action.Action, Rule: r.Name, Reason: r.Reason, File: s.file, Line: r.line}
			}
			continue
		}
		switch m := r.matches(x, call); {
		case m == yes && perhaps.Action >= r.Action.Action:
			return perhaps
		case m == yes:
			return Verdict{Action: r.Action.Action, Rule: r.Name, Reason: r.Reason, File: s.file, Line: r.line}
		case m == maybe && x.judge.call.Unknown != "" && r.Action.Action >= Confirm && perhaps.Action == Free:
			perhaps = Verdict{Action: Confirm, Reason: x.judge.call.Unknown}
		case m == maybe && !certain && r.Action.Action >= Confirm && perhaps.Action == Free:
			reason := "what it does is known only when it runs, and the rule could match"
			if r.Reason != "" {
				reason += ": " + r.Reason
			}
			perhaps = Verdict{Action: Confirm, Rule: r.Name, Reason: reason, File: s.file, Line: r.line}
		}
	}
	key := ptyKey(call)
	if word := s.pty[key]; leaf && word.action > perhaps.Action {
		return Verdict{Action: word.action, Rule: "pty." + key, File: s.file, Line: word.line}
	}
	return perhaps
}
