package prompt

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// known holds the built-in patterns. The first group looks at the end of the line of the cursor.
type known struct {
	more      expression // status of a pager, whatever its name
	key       expression // asks for one key
	password  expression
	angled    expression // asks for a secret, and ends with an angle as the prompt of a REPL does
	confirm   expression // shows the possible answers, and yes is one of them
	choice    expression // asks for one item of a menu
	yesNo     expression // a question for yes or no that does not say so
	replied   expression // ends with the answer
	suggested expression // ends with the answer that counts if nothing is typed
	entry     expression // a field that the program draws
	repl      expression // prompt of an interpreter or a console, whatever its name

	onlyYes  expression // says, above the prompt, that only yes is accepted
	yesAndNo expression // yes and no side by side, to be chosen from
	hidden   expression // mentions a secret
	item     expression // line of a menu that is answered with its number or letter
	columns  expression // line with two or more such items
	table    expression // line of a menu in table form, with the number in the first column
	ticked   expression // line of a menu in which items are ticked
	pointer  expression // line of a menu that the arrow keys have selected
	marked   expression // question as drawn by the libraries for Node, Python and Go
	status   expression // status line of a pager
	button   expression // button of a dialog
	gauge    expression // progress bar
	log      expression // line of a log: not a prompt
}

// An expression is a regular expression for text of any length. It looks only at a part of the text, which bounds its
// cost.
type expression struct{ re *regexp.Regexp }

// part is how many bytes of a text an expression looks at.
const part = 240

// find reports whether the end of text has a match.
func (e expression) find(text string) bool {
	if len(text) > part {
		text = "\x00" + tail(text, part) // "\x00" keeps ^ from matching where the text was cut
	}
	return e.re.MatchString(text)
}

// begins reports whether the beginning of text has a match.
func (e expression) begins(text string) bool { return e.re.MatchString(text[:min(len(text), part)]) }

// anyOf returns an expression that matches any of the alternatives.
func anyOf(alternatives ...string) expression {
	return expression{regexp.MustCompile("(?i)" + strings.Join(alternatives, "|"))}
}

const (
	yes     = `(?:yes|y|ja|j|oui|o|sim|sí|si|s|tak|t|да|д)`
	no      = `(?:none|no|nein|non|não|nie|n|нет|н)`
	between = ` ?(?:[/|,]| or ) ?`
	end     = `(?:[^a-zа-я]|$)` // end of a word
	secret  = `(?:\b(?:password|passphrase|passcode|pass phrase|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|hasło|` +
		`lösenord|heslo)|пароль|密码|密碼|パスワード|암호)`
	working = `check|download|upload|build|install|load|wait|fetch|compil|link|start|read|writ|count|compress|receiv|resolv|process|scan|` +
		`search|collect|generat|extract|unpack|connect|runn|test|updat|verify|copy|creat|remov|delet|pull|push|clon|transfer|sync|` +
		`prepar|analy[sz]|index|listen|watch|serv`
	token  = `(?:pin|secret|token|master key|encryption key|api[ -]?key|secret key|access key)`
	arrows = `❯›»▸▶►➤➜→‣◉■◼☑☒`
	drawn  = arrows + `○◯□◻☐●⬡⬢•✔✓` // marks in front of the items of a menu
)

// compile returns the built-in patterns. It takes about a millisecond.
func compile() *known {
	return &known{
		more: anyOf(`--more--`, `^ *\(END\)`, `^lines \d+-\d+`),
		key: anyOf(
			`\b(?:press|hit|strike|touch|push|type) (?:on )?(?:(?:any|a|the) )?[<\["'(]?(?:any )?(?:key|enter|return|space|spacebar)\b`,
			`beliebige taste|eine taste|une touche|(?:una|cualquier) tecla|un tasto|любую клавишу|任意键`,
		),
		password: anyOf(
			secret+`(?:[^.!]|[.!]\S)*[:?：] *$`,
			`\b`+token+`(?: \([^)]*\))?(?: for [^:]*)?: *$`,
			`^(?:\[?\?\]?|◆) .*(?:`+secret+`|\b`+token+`\b)`,
		),
		angled: anyOf(
			`^\W*(?:(?:(?:re)?enter|(?:re)?type|repeat|confirm|new|old|current|your|master|the|a) +)*(?:` + secret + `|\b` + token + `\b)(?: again| (?:for|für) [^>]*)? +[>›‣»] *$`,
		),
		confirm: anyOf(
			`[\[(<] *\[?`+yes+`\]?`+between+`\[?`+no+end,
			`[\[(<] *\[?`+no+`\]?`+between+`\[?`+yes+` *[\])>]`,
			`[\[(<]`+yes+`,[a-z,?]*,?n,[^\])]*[\])]`,
			`\? *[\[(<]`+yes+`[\])>] *[:?]? *$`, `\? *[\[(<]`+no+`[\])>] *[:?]? *$`, `<[yn]>\? *$`,
			`[\[(]y[\])]es\b[ ,/]{1,3}[\[(]n[\])]o\b`,
			`\?\.\.\. ?$`,
			`^(?:add|extract) [‘'"“].*\? *$`,
			`^(?:\S+: )?(?:re)?(?:move|overwrite|replace|descend into|try to overwrite) .*\? *$`,
			`^< \S+ \.\.\. .* > \? *$`,
			`\b(?:type|enter|answer|say|write|reply) ['"“‘`+"`"+`]?(?:yes|y|no)['"”’`+"`"+`]?(?: |,|:|$)`,
		),
		choice: anyOf(
			`\b(?:your|enter|make) (?:an? |the |your )?(?:choice|selection|option)\b`,
			`\b(?:choose|select|pick) [^.!]*[:?>] *$`, `\bselection[:?] *$`, `\bchoice(?: \([^)]*\))?[:?] *$`, `^#\? $`,
			`[\[(]\d+ ?(?:-|–|\.\.) ?\d+[\])]`, `[\[(](?:\d/)+\d[\])]`, `[\[(]Y/I/N/O/D/Z[\])]`,
			`\[O\]pen Read-Only, \(E\)dit`,
			`\bselection number\b`, `^what now> $`, `^\?# $`,
		),
		yesNo: anyOf(
			`^\W*(?:are|do|does|is|should|shall|would|will|ok|okay|really|continue|proceed|delete|remove|overwrite|`+
				`replace|install|save|quit|exit|abort|retry|keep|reload|trust|allow)\b[^?]*\? *$`,
			`\b(?:are you sure|is this ok|is this correct|ok to \w+|continue|proceed|anyway)[^?]{0,60}\? *$`,
		),
		replied:   anyOf(`[\])>?:] *(?:` + yes + `|` + no + `) *$`),
		suggested: anyOf(`(?:[^\d)]:|\?) ?[\[(][\w./~"'@<$][^\])]*[\])] *$`, `\w ?[\[(][^\])]*[\])] ?[:?] *$`),
		entry:     anyOf(`^[│┃|]? *>(?: |$)`),
		repl: anyOf(
			`^(?:>>>|\.\.\.) $`, `^(?:in \[\d+\]:|out\[\d+\]:|   \.\.\.:) *$`, `^\((?:i?pdb\+*|gdb|lldb|dlv|byebug|rdbg|parted|rr|jdb)\) $`, `^i?pdb> $`,
			`^\((?:failed )?(?:reverse-|bck-|fwd-)?i-search\)`, `^(?:failing )?(?:bck|fwd)-i-search: `,
			`^ *DB<+\d+>+ $`, `^\(rdb:\d+\) $`, `^irb\([^)]*\)[:\d]*[>*"'] $`, `^\[\d+\] pry\([^)]*\)[>*"'] $`, `^(?:sqlite|   \.\.\.)> $`,
			`^(?:mysql|mariadb(?: \[[^\]]*\])?|    -|    '|    "|    /\*)> $`, `^\w[\w.-]*[=('"*^!]?[*!]?[#>] $`,
			`^(?:php|ruby|node|scala|jshell|julia|ghci|prelude|iex|ftp|sftp|telnet|lftp|gnuplot|redis|not connected)\b[^:]*> $`,
			`^[\w.-]+:\d+(?:\[\d+\])?> $`, `^octave(?:\.exe)?:\d+> $`, `^iex\(\d+\)> $`, `^\*?[a-z][\w. ]*> $`,
		),
		yesAndNo: anyOf(`^\W*yes\b.{0,8}?\W+no\b\W*$`),
		hidden:   anyOf(secret, `\b(?:pin|otp|code|token|key|secret)\b`, `\bpass *(?m:[:?]|$)`),
		onlyYes:  anyOf(`\bonly ['"]?yes['"]? will be accepted`),
		item:     anyOf(`^ *(?:>|\*|->)? *(?:\[[0-9a-z]{1,3}\]|\([0-9a-z]{1,3}\)|\d{1,3}[.):]|\d{1,3} [-–]|[a-z][.)]|[a-z](?: or [a-z])? +:) *\S`),
		columns:  anyOf(`^ *\d{1,3}[.):] *\S.* {2,}\d{1,3}[.):] *\S`),
		table:    anyOf(`^[ *>] *\d{1,3} {2,}\S`),
		ticked:   anyOf(`^ *[` + drawn + `](?: *[` + drawn + `])? +\S`),
		pointer:  anyOf(`^[│┃|]? *(?:[`+arrows+`]|>|\(\*\)|\[[ x]\]) +\S`, `^[│┃|]? *● +\S`),
		marked:   anyOf(`^(?:\?|\[\?\]|◆|◇|▲|\? *❯) +\S`),
		status:   anyOf(`^:$`, `\(END\)`, `^lines \d+`, `--more--`, `\d%\)?$`, `^log file is already in use`),
		button:   anyOf(`[<\[] *[<]? *\^?\w[\w ']* *>? *[>\]]`),
		gauge:    anyOf(`\[[-=#.·> ]{3,}$`, `={3,}>$`),
		log: anyOf(
			`^[ >]*\[?\d{1,4}[-/.:]\d\d?[-/.:]\d\d`, `^\[[ \d.:%/]+\] `, `\d ?%`,
			`^\W*(?:error|err|warning|warn|info|information|debug|trace|notice|note|fatal|verbose|log|stdout|stderr)\b`,
			`\b(?:`+working+`)ing\b[^?]*: *$`, `https?://[^\s'"]*:? *$`, `(?-i:\b(?:WARN|WARNING|ERR|ERROR|INFO|DEBUG|NOTICE)\b)`,
			`\b(?:progress|elapsed|eta|remaining|status|total|speed|loaded|result|results|output|`+
				`failed|done|found|errors?|warnings?|info|debug|time|note|started|completed|finished|usage|see|at|files?|hint|help)(?: \([^)]*\))?: *$`,
		),
	}
}

// tail returns the end of text, at most size bytes. It begins at the beginning of a character.
func tail(text string, size int) string {
	if len(text) <= size {
		return text
	}
	text = text[len(text)-size:]
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// ends reports whether text ends with one of the marks. Blanks at the end do not count.
func ends(text, marks string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, " \u00a0"))
	return last != utf8.RuneError && strings.ContainsRune(marks, last)
}

// shellEnd reports whether text ends like the prompt of a shell: with its sign, then blanks, and nothing typed.
func shellEnd(text string) bool {
	trimmed := strings.TrimRight(text, " \u00a0")
	last, size := utf8.DecodeLastRuneInString(trimmed)
	before := trimmed[:len(trimmed)-size]
	switch last {
	case '❯', '➜', 'λ', '»', '›', '▶', '⟩', '⇒', '❱', '➤', '\ue0b0', '⟫', 'ᐅ', '→', '⮞', '⯈':
		return true
	case '$', '#':
		return trimmed != text && !strings.HasSuffix(before, string(last))
	case '%':
		return trimmed != text && !digit(strings.TrimRight(before, " "))
	case '>':
		return trimmed != text && !strings.HasSuffix(before, "=") && !strings.HasSuffix(before, "-") && !tagged(before)
	}
	return false
}

// shellLine reports whether text is the line of a shell: its prompt, perhaps with typed text behind it.
func shellLine(text string) bool {
	for i, c := range text {
		switch c {
		case '$', '#', '%', '❯', '➜', 'λ':
			if shellEnd(text[:i+utf8.RuneLen(c)] + " ") {
				return strings.HasPrefix(text[i+utf8.RuneLen(c):], " ")
			}
		}
	}
	return shellEnd(text)
}

// wordPrompt reports whether text consists of words followed by "> ".
func wordPrompt(text string) bool {
	words, ok := strings.CutSuffix(text, "> ")
	return ok && words != "" && strings.Trim(strings.ToLower(words), " _abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// digit reports whether text ends with a number. A % after it then means a percentage.
func digit(text string) bool {
	number := strings.TrimRight(text, "0123456789.,")
	return number != text && (number == "" || strings.HasSuffix(number, " ") || strings.HasSuffix(number, "("))
}

// tagged reports whether text, with a > after it, ends with an HTML or XML tag.
func tagged(text string) bool {
	at := strings.LastIndexByte(text, '<')
	return at >= 0 && !strings.ContainsAny(text[at:], " >")
}
