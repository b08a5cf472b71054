package commands

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/doctor"
	"devtools/runner/wire"
)

// inputFlags returns the flags of run for a command that waits for input.
func inputFlags() []cli.Flag {
	return []cli.Flag{
		oneOf(&cli.StringFlag{Name: "on-input", Usage: "`ACTION` when it waits for input: return, wait, ask or kill", DefaultText: "return, at a terminal wait"}, runner.OnInputReturn, runner.OnInputWait, runner.OnInputAsk, runner.OnInputKill),
		oneOf(&cli.StringFlag{Name: "min-confidence", Usage: "least `CONFIDENCE` to report: certain, high, medium, heuristic", Value: "heuristic"}, wire.Confidences...),
		&cli.StringSliceFlag{Name: "answer", Usage: "answer questions matching RE: `RE=TEXT`, RE=keys:KEYS"},
		&cli.StringSliceFlag{Name: "answer-each", Usage: "as --answer, as often as it is asked: `RE=TEXT`, RE=keys:KEYS"},
		&cli.StringFlag{Name: "answer-file", Usage: "read answers from `FILE`, which only you may read"},
	}
}

// withoutTerminal refuses the flags of inputFlags when run does not wait for questions. why is the flag that causes
// this.
func withoutTerminal(cmd *cli.Command, why string) error {
	if flag := firstGiven(cmd, []string{"on-input", "min-confidence", "answer", "answer-each", "answer-file"}); flag != "" {
		return usagef("run: --%s cannot be used with %s: run does not wait for questions", flag, why)
	}
	return nil
}

// readInputOptions returns the values of inputFlags. With person, a person sees the questions anyway.
func readInputOptions(cmd *cli.Command, person bool) (o runner.InputOptions, err error) {
	if o.OnInput = runner.OnInputReturn; person {
		o.OnInput = ""
	}
	if cmd.String("on-input") != "" {
		if o.OnInput, err = choice(cmd, "on-input"); err != nil {
			return o, err
		}
	}
	if o.MinConfidence, err = choice(cmd, "min-confidence"); err != nil {
		return o, err
	}
	if !cmd.IsSet("min-confidence") {
		o.AnswerConfidence = "medium" // text that only looks like a prompt justifies a report, but not the typing of a secret
	}
	o.Failed = func(err error) { note(cmd, "%v", err) }
	o.Stopped = func(p ledger.Process, signal string) { sayStopped(cmd, p, signal) }
	add := func(flag string, each bool) error {
		for _, text := range cmd.StringSlice(flag) {
			a, err := parseAnswer(text)
			if err != nil {
				return usagef("--%s: %v", flag, err)
			}
			a.Each = each
			o.Answers = append(o.Answers, a)
		}
		return nil
	}
	if err := add("answer", false); err != nil {
		return o, err
	}
	if path := cmd.String("answer-file"); path != "" {
		answers, err := readAnswers(path)
		if err != nil {
			return o, usagef("--answer-file %s: %v", path, err)
		}
		o.Answers = append(o.Answers, answers...)
	}
	if err := add("answer-each", true); err != nil { // after the answers for one question
		return o, err
	}
	if len(o.Answers) > 0 && o.OnInput == "" {
		o.OnInput = runner.OnInputWait // questions without a matching answer are for the person
	}
	switch {
	case o.OnInput == runner.OnInputAsk:
		o.Message = func(w wire.Waiting) string { return cmp.Or(asking(w), waitingText(w)) }
		o.Waits = func(w wire.Waiting) { note(cmd, "%s: a person is asked to attach and answer", waitingText(w)) }
	case o.OnInput == runner.OnInputWait && !person:
		o.Waits = func(w wire.Waiting) { note(cmd, "%s", waitingText(w)) } // the prompt itself appears together with its answer
	}
	return o, nil
}

// sayStopped says that a process in the background was stopped, and how to avoid that.
func sayStopped(cmd *cli.Command, p ledger.Process, signal string) {
	by := "by the terminal "
	if signal != "SIGTTIN" && signal != "SIGTTOU" {
		by = "" // by itself or by somebody else
	}
	note(cmd, "%s (pid %d) was stopped %s(%s): it runs in the background, and nothing continues it", oneLine(p.Name), p.PID, by, signal)
	if !cmd.Bool("quiet") && !cmd.Bool("json") {
		hint(cmd.Root().ErrWriter, doctor.Foreground)
	}
}

// keysMark begins an answer that names keys. A backslash before it makes the answer text.
const keysMark = "keys:"

// parseAnswer parses RE=TEXT and RE=keys:KEYS. In RE, \= stands for a = character.
func parseAnswer(text string) (a runner.Answer, err error) {
	at := -1
	for i := 0; i < len(text) && at < 0; i++ {
		switch text[i] {
		case '\\':
			i++
		case '=':
			at = i
		}
	}
	switch { // do not repeat the text, which may be a secret
	case at < 0:
		return a, errors.New("= is missing: use RE=TEXT, and \\= for a = in RE")
	case at == 0:
		return a, errors.New("RE is empty: use .* for any question")
	}
	if a.Pattern, err = condition.Pattern(text[:at]); err != nil {
		return a, err
	}
	a.Text = text[at+1:]
	if strings.ContainsAny(a.Text, "\r\n\x00") {
		return a, fmt.Errorf("the text for %q has several lines: use one line, and Enter follows", text[:at])
	}
	if list, ok := strings.CutPrefix(a.Text, keysMark); ok {
		return parseKeys(a, text[:at], list)
	}
	if strings.HasPrefix(strings.TrimLeft(a.Text, `\`), keysMark) {
		a.Text = a.Text[1:]
	}
	return a, nil
}

// parseKeys returns the answer with the keys of a list, which blanks separate.
func parseKeys(a runner.Answer, pattern, list string) (runner.Answer, error) {
	a.Text, a.Keys = "", strings.Fields(list)
	if len(a.Keys) == 0 {
		return a, fmt.Errorf("the answer for %q names no keys: use keys:Down Enter, or \\keys: for a text", pattern)
	}
	if err := (wire.Keys{Args: a.Keys}).Check("an answer without " + keysMark); err != nil {
		return a, fmt.Errorf("the keys for %q: %w", pattern, err)
	}
	return a, nil
}

// readAnswers reads a file with one answer per line. It skips blank lines and lines that begin with #.
func readAnswers(path string) (list []runner.Answer, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err
		}
		return nil, err
	}
	defer f.Close()
	if err := checkPrivate(f); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, wire.MaxTyped+1))
	if err != nil || len(data) > wire.MaxTyped {
		return nil, cmp.Or(err, fmt.Errorf("the file has more than %d bytes", wire.MaxTyped))
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		a, err := parseAnswer(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, a)
	}
	return list, nil
}

// sayAnswers reports the answers that were not typed, or were typed without Enter.
func sayAnswers(cmd *cli.Command, reports []runner.AnswerReport) {
	var unmatched []string
	for _, r := range reports {
		switch {
		case r.Reason == runner.NoQuestion:
			unmatched = append(unmatched, strconv.Quote(r.Pattern))
		case r.Reason == runner.UsedUp:
			message(cmd.Root().ErrWriter, "answer %q: used up: %s; --answer-each types it each time", r.Pattern, r.Reason)
		case !r.Typed:
			message(cmd.Root().ErrWriter, "answer %q: not typed: %s", r.Pattern, r.Reason)
		case r.Keys && r.Reason != "":
			message(cmd.Root().ErrWriter, "answer %q: not all keys were typed or read: %s", r.Pattern, r.Reason)
		case r.Entered || r.Keys || strings.HasSuffix(r.Reason, `\c`): // \c asks for that
		case r.Reason == runner.WentOn:
			note(cmd, "answer %q: typed without Enter: %s", r.Pattern, r.Reason)
		default:
			message(cmd.Root().ErrWriter, "answer %q: typed without Enter: %s", r.Pattern, r.Reason)
		}
	}
	if n := len(unmatched); n > 0 {
		message(cmd.Root().ErrWriter, "%s %s: not typed: %s", plural(n, "answer", "answers"), strings.Join(unmatched, ", "), runner.NoQuestion)
	}
}

// waitingText returns a message about what a command waits for. It names the question. A program that asks nothing only waits.
func waitingText(w wire.Waiting) string {
	waits := "waits"
	if w.Confidence == "heuristic" {
		waits = "seems to wait"
	}
	text := fmt.Sprintf("%s (pid %d) %s for input", w.Command, w.PID, waits)
	if question := asking(w); question != "" {
		text += fmt.Sprintf(": %q", question)
	}
	return text
}

// endLine ends the line of a prompt at the end of the output, before a message is printed.
func endLine(cmd *cli.Command, w wire.Waiting) {
	if lastLine(w.Prompt) != "" {
		fmt.Fprintln(cmd.Root().ErrWriter)
	}
}

// asking returns the line of the prompt that asks, shortened, or "" if there is none: what an editor shows is its text. The
// choices of a question that the program draws stand below it. Otherwise a title or a list may stand above.
func asking(w wire.Waiting) string {
	if w.Kind == "editor" {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(w.Prompt), "\n")
	if w.Kind == "choice" && !w.Drawn && !slices.ContainsFunc(lines, asks) { // no line but those of the choices
		return shortLine(strings.Join(lines, " "))
	}
	if !w.Drawn {
		slices.Reverse(lines)
	}
	for _, best := range []func(string) bool{asks, hasWord, notBlank} {
		if i := slices.IndexFunc(lines, best); i >= 0 {
			return shortLine(lines[i])
		}
	}
	return ""
}

// asks reports whether the line has the mark of a question.
func asks(line string) bool {
	return hasWord(line) && (strings.ContainsAny(line, "?？") || strings.HasSuffix(strings.TrimSpace(line), ":"))
}

func hasWord(line string) bool {
	return strings.ContainsFunc(line, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
}

func notBlank(line string) bool { return strings.TrimSpace(line) != "" }

// shortLine returns the line without the blanks around it, and without what is too long for a message.
func shortLine(line string) string {
	line = strings.TrimSpace(line)
	if r := []rune(line); len(r) > 120 {
		line = string(r[:117]) + "..."
	}
	return line
}

// lastLine returns the last line of a prompt. Unless the program draws its screen, the cursor is in that line.
func lastLine(prompt string) string {
	return strings.TrimSpace(prompt[strings.LastIndexByte(prompt, '\n')+1:])
}

// unreadHint returns a hint if run has standard input for the command that waits, and does not pass it on.
func (req runRequest) unreadHint(cmd *cli.Command) []string {
	if stdin, ok := cmd.Root().Reader.(*os.File); ok && !req.spec.Stdin && hasInput(stdin) {
		return []string{"run --stdin passes standard input on (run has not read it)"}
	}
	return nil
}

// answerHints returns commands that answer a session waiting for input.
func answerHints(cmd *cli.Command, name string, w wire.Waiting) []string {
	devtools := devtoolsCommand(cmd)
	answer, resume := devtools+" send-keys "+name, devtools+" run --resume "+name
	typed := resume
	if w.Confidence == "heuristic" {
		typed += " --min-confidence heuristic"
	}
	hints := []string{answer + " --enter -- ANSWER"}
	switch {
	case w.Kind == "pager":
		hints = []string{answer + " q"}
	case w.Drawn:
		hints = []string{devtools + " screen " + name, answer + " KEY"}
	case w.Canonical && w.Secret:
		hints = []string{answer + " - <FILE"}
	case w.Canonical && w.Kind == "key":
		hints = []string{answer + " Enter"}
	case w.Canonical, w.Kind == "repl": // the program reads lines
	case w.Echo, w.Kind == "key":
		hints = []string{answer + " KEY"}
	case w.Secret: // whether Enter must follow turns out when the answer is typed
		return []string{typed + " --answer-file FILE", devtools + " attach " + name}
	case w.Kind == "choice":
		hints = []string{answer + " KEY"}
	case w.Kind == "confirm": // gdb wants Enter, and others go on at the key
		return []string{typed + " --answer " + answerArgument(w), devtools + " attach " + name}
	default:
		return []string{typed + " --answer " + answerArgument(w), answer + " -- ANSWER", devtools + " attach " + name}
	}
	return append(hints, resume, devtools+" attach "+name)
}

// maxHinted is how many characters of a question go into the pattern of a hint. They are enough to distinguish it
// from other questions.
const maxHinted = 40

// answerArgument returns an argument of --answer that types ANSWER at this question and at no other.
func answerArgument(w wire.Waiting) string {
	text := lastLine(w.Question)
	if text == "" || !strings.Contains(w.Prompt, text) {
		text = lastLine(w.Prompt)
	}
	line := []rune(text)
	last := strings.TrimSpace(string(line[max(0, len(line)-maxHinted):]))
	re := strings.ReplaceAll(regexp.QuoteMeta(last), "=", `\=`)
	quoted := wire.ShellLine([]string{"sh"}, []string{":", cmp.Or(re, ".*") + "=ANSWER"})
	return strings.TrimPrefix(quoted, ": ")
}

// devtoolsCommand returns the devtools command, with the flags that are needed to find the same sessions.
func devtoolsCommand(cmd *cli.Command) string {
	for _, flag := range []string{"dir", "C"} {
		if cmd.Root().IsSet(flag) && os.Getenv("DEVTOOLS_DIR") != cmd.Root().String(flag) {
			dash := strings.Repeat("-", min(len(flag), 2))
			return wire.ShellLine([]string{"sh"}, []string{"devtools", dash + flag, cmd.Root().String(flag)})
		}
	}
	return "devtools"
}
