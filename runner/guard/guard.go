// Package guard judges calls before anything is started, typed or killed. It reads the policy of the
// user and that of the workspace, takes the command line of a call apart into the programs that it
// would start, and says whether the call is free, needs a person's confirmation, or is forbidden.
//
// Rules match parsed commands and never the raw text. What devtools does not see is of one of three classes, for which a policy has a
// word each: computed programs and paths, code of interpreters, and what no shell could read.
package guard

// An Action is what a policy says about a call. A greater one is stricter.
type Action uint8

// The actions. Free means that no rule says anything.
const (
	Free Action = iota
	Allow
	Confirm
	Deny
)

// String returns the word of the policy files: allow, confirm or deny, and free where no rule matches.
func (a Action) String() string {
	return [...]string{"free", "allow", "confirm", "deny"}[a]
}

// MarshalText writes the word of the policy files.
func (a Action) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// The kinds of calls, as `calls` of a rule names them.
const (
	KindRun         = "run"          // run, also with --lang
	KindLaunch      = "launch"       // launch, launch --all
	KindWatch       = "watch"        // the program and the build command of watch
	KindRestart     = "restart"      // restart
	KindOnExit      = "on-exit"      // the command of --on-exit
	KindRunIn       = "run-in"       // run --in: a line typed into the shell of a session
	KindSendKeys    = "send-keys"    // send-keys, with --paste too
	KindAnswer      = "answer"       // --answer, --answer-file
	KindKill        = "kill"         // kill
	KindKillOrphans = "kill-orphans" // kill-orphans
	KindAsk         = "ask"          // ask
)

// Kinds returns the kinds of calls.
func Kinds() []string {
	return []string{
		KindRun, KindLaunch, KindWatch, KindRestart, KindOnExit, KindRunIn, KindSendKeys, KindAnswer, KindKill, KindKillOrphans, KindAsk,
	}
}

// A Call is what is about to happen. Of Argv, Line and Code, exactly one is set. None is set for a
// kind that neither starts nor types anything.
type Call struct {
	Kind      string   // one of Kinds
	Argv      []string // program and arguments, executed directly
	Line      string   // for a shell, or typed text of any number of lines
	Shell     string   // program that takes Line, such as bash; "" if it is not known
	Code      string   // program text for the interpreter of Lang
	Lang      string   // language of Code, as run --lang takes it
	Unknown   string   // why Line does not tell what the program that reads it does; "" if it does
	Dir       string   // working directory; absolute, "" if it is not known
	Moved     bool     // the program in Dir may be in another folder when it reads the line
	Workspace string   // folder of the workspace; absolute, "" for none
	Shared    bool     // that folder is no project, such as the home folder: what is in it is outside, too
	Env       []string // environment of the program as NAME=VALUE; nil if it is not known

	// Mask hides the secrets in words of the call before they are cut for a message. It gets them with a blank between two, and keeps
	// the length of the text. nil hides nothing.
	Mask func(text string) string
}

// A Verdict is the answer to a call. Action is the strictest one of all commands in the call.
type Verdict struct {
	Action    Action `json:"action"`             // what the policy says: free, allow, confirm or deny
	Rule      string `json:"ruleName,omitzero"`  // name of the rule that decided; absent if none did
	Reason    string `json:"reason,omitzero"`    // why: the rule's own reason, or what could not be known
	File      string `json:"file,omitzero"`      // policy file of the rule; "built-in rules" for the rules of devtools
	Line      int    `json:"line,omitzero"`      // line of the rule in that file; absent for the built-in rules
	Command   string `json:"matched,omitzero"`   // the command that the rule matched
	Untrusted bool   `json:"untrusted,omitzero"` // the policy of the workspace allows it, but nobody has trusted it
}

// BuiltIn is the File of a verdict that comes from the rules of the program.
const BuiltIn = "built-in rules"

// A Policy holds the rules that apply to a call. A nil Policy has no rules: every call is free.
type Policy struct {
	sets []ruleSet // user's file, workspace's file, built-in rules; those that are there

	warnings []string
}

// A Command is a command that a call would start, as the rules see it, with the verdict on it alone.
type Command struct {
	Text  string `json:"commandLine"`     // the command as a line: the program and its words
	Via   string `json:"via,omitzero"`    // what starts it, from the outside in; absent for the line itself
	Known bool   `json:"known"`           // the program is known before it starts
	Code  bool   `json:"isCode,omitzero"` // it executes code of an interpreter, which is not looked into
	Verdict
}
