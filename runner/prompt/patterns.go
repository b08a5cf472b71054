package prompt

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// A pattern is a built-in pattern. The comments say what a text with a match does or is.
type pattern int

// The first group looks at the end of the line of the cursor.
const (
	pagerPrompt    pattern = iota // status of a pager, whatever its name
	keyPrompt                     // asks for one key
	passwordPrompt                // asks for a secret
	angledPassword                // asks for a secret, and ends with an angle as the prompt of a REPL does
	confirmPrompt                 // shows the possible answers, and yes is one of them
	choicePrompt                  // asks for one item of a menu
	yesNoQuestion                 // a question for yes or no that does not say so
	answeredLine                  // ends with the answer
	defaultShown                  // ends with the answer that counts if nothing is typed
	drawnField                    // a field that the program draws
	replPrompt                    // prompt of an interpreter or a console, whatever its name

	onlyYesNote     // says, above the prompt, that only yes is accepted
	yesAndNo        // yes and no side by side, to be chosen from
	yesOrNo         // yes or no, and nothing else
	secretWord      // mentions a secret
	menuItem        // line of a menu that is answered with its number or letter
	menuColumns     // line with two or more such items
	menuTable       // line of a menu in table form, with the number in the first column
	menuTicks       // line of a menu in which items are ticked
	menuBoxes       // line of a menu that begins with a box to tick
	menuPointer     // line of a menu that the arrow keys have selected
	libraryQuestion // question as drawn by the libraries for Node, Python and Go
	pagerStatus     // status line of a pager
	editorStatus    // status line of BusyBox's vi
	dialogButton    // button of a dialog
	widget          // row that begins with a box to tick or a button
	progressBar     // progress bar
	logLine         // line of a log: not a prompt
	progress        // shows how far work is: a percentage, a bar, a rate, a spinner
	busyWords       // says that the program works, and that a person waits
	widgetKeys      // names the keys that move in a list or a field, and take it
	screenKeys      // line of a program of the whole screen that names its keys
	keyRemark       // part of a question that only names keys
	toggleKey       // names a key that ticks an item
	tickBox         // box to tick, in front of an item
	sideWord        // one of the words that stand side by side to be chosen
	wholeRow        // what a row shows between borders
	choiceKey       // key of a choice, in brackets or in front of the row of a list
	choiceEnd       // end of a choice in a sentence
	listEnd         // end of a choice in a list
	choiceList      // list of choices in brackets at the end of a line, perhaps with the default in others behind them
	namedDefault    // names the default
	lastBrackets    // brackets at the end of a question
	noDefault       // what a question has in brackets, and is no default

	patterns // number of patterns
)

// compiled has the regular expressions of the patterns that were used. All of them together take about a millisecond.
var compiled [patterns]struct {
	once sync.Once
	re   *regexp.Regexp
}

// regexp returns the regular expression that matches any of the alternatives.
func (p pattern) regexp() *regexp.Regexp {
	c := &compiled[p]
	c.once.Do(func() { c.re = regexp.MustCompile("(?i)" + strings.Join(alternatives[p], "|")) })
	return c.re
}

// part is how many bytes of a text a pattern looks at. It bounds the cost.
const part = 240

// find reports whether the end of text has a match.
func (p pattern) find(text string) bool {
	if len(text) > part {
		text = "\x00" + tail(text, part) // "\x00" keeps ^ from matching where the text was cut
	}
	return p.regexp().MatchString(text)
}

// begins reports whether the beginning of text has a match.
func (p pattern) begins(text string) bool { return p.regexp().MatchString(text[:min(len(text), part)]) }

const (
	yes     = `(?:yes|y|ja|j|oui|o|sim|sí|si|s|tak|t|да|д)`
	no      = `(?:none|no|nein|non|não|nie|n|нет|н)`
	between = ` ?(?:[/|,]| or ) ?`
	end     = `(?:[^a-zа-я]|$)` // end of a word
	secret  = `(?:\b(?:password|passphrase|passcode|pass phrase|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|hasło|` +
		`lösenord|heslo)|пароль|密码|密碼|パスワード|암호)`
	working = `check|download|upload|build|install|load|wait|fetch|compil|link|start|read|writ|count|compress|receiv|resolv|process|scan|` +
		`search|collect|generat|extract|unpack|connect|runn|test|updat|verify|copy|creat|remov|delet|pull|push|clon|transfer|sync|` +
		`prepar|analy[sz]|index|listen|watch|serv|work|think`
	token    = `(?:pin|secret|token|master key|encryption key|api[ -]?key|secret key|access key)`
	arrows   = `❯›»▸▶►➤➜→‣◉■◼☑☒`
	spinners = `\x{2801}-\x{28ff}◐◓◑◒◴◷◶◵◜◝◞◟`
	items    = `(?:[^\[\]()<>]|\[[^\[\]()<>]*\])*` // of a list in brackets, one of them perhaps in brackets too
	drawn    = arrows + `○◯□◻☐●⬡⬢•✔✓`              // marks in front of the items of a menu
)

// alternatives has the regular expressions of each pattern.
var alternatives = [patterns][]string{
	pagerPrompt: {`--more--`, `^ *\(END\)`, `^lines \d+-\d+`},
	keyPrompt: {
		`\b(?:press|hit|strike|touch|push|type) (?:on )?(?:(?:any|a|the) )?[<\["'(]?(?:any )?(?:key|enter|return|space|spacebar)\b`,
		`\[enter to [a-z ]+\] *$`, `beliebige taste|eine taste|une touche|(?:una|cualquier) tecla|un tasto|любую клавишу|任意键`,
	},
	passwordPrompt: {
		secret + `(?:[^.!]|[.!]\S)*[:?：] *$`,
		`\b` + token + `(?: \([^)]*\))?(?: for [^:]*)?: *$`,
		`[\[(](?:(?:input|output) )?(?:(?:is|will be) (?:masked|hidden)|(?:is|will) not(?: be)? (?:shown|echoed|displayed|visible))[\])]:? *$`,
		`\(press tab for no echo\) *$`,
		`^(?:\[?\?\]?|◆) .*(?:` + secret + `|\b` + token + `\b)`,
	},
	angledPassword: {
		`^\W*(?:(?:(?:re)?enter|(?:re)?type|repeat|confirm|new|old|current|your|master|the|a) +)*(?:` + secret + `|\b` + token + `\b)(?: again| (?:for|für) [^>]*)? +[>›‣»] *$`,
	},
	confirmPrompt: {
		`[\[(<] *\[?` + yes + `\]?` + between + `\[?` + no + end,
		`[\[(<] *\[?` + no + `\]?` + between + `\[?` + yes + ` *[\])>]`,
		`[\[(<]` + yes + `,[a-z,?]*,?n,[^\])]*[\])]`, `[\[(](?:yn[acdeqs?]*|yn[a-z]+\?|ny)[\])]`,
		`\? *[\[(<]` + yes + `[\])>] *[:?]? *$`, `\? *[\[(<]` + no + `[\])>] *[:?]? *$`, `<[yn]>\? *$`,
		`[\[(]y[\])]es\b[ ,/]{1,3}[\[(]n[\])]o\b`, `\[y\] yes\b.*\[n\] no\b.*: *$`,
		`[›‣»] *(?:yes / no|no / yes) *$`,
		`\?\.\.\. ?$`,
		`^(?:add|extract) [‘'"“].*\? *$`,
		`^(?:\S+: )?(?:re)?(?:move|overwrite|replace|descend into|try to overwrite) .*\? *$`,
		`^< \S+ \.\.\. .* > \? *$`,
		`\b(?:type|enter|answer|say|write|reply) ['"“‘` + "`" + `]?(?:yes|y|no)['"”’` + "`" + `]?(?: |,|:|$)`,
	},
	choicePrompt: {
		`\b(?:your|enter|make) (?:an? |the |your )?(?:choice|selection|option)\b`,
		`\b(?:choose|select|pick) [^.!]*[:?>] *$`, `\bselection[:?] *$`, `\bchoice(?: \([^)]*\))?[:?] *$`, `^#\? $`,
		// More than 20 are a number.
		`[\[(]\d ?(?:-|–|\.\.) ?(?:\d|1\d|20)[\])]`, `\S.*[\[(](?:\d/)+\d[\])]`, `[\[(]Y/I/N/O/D/Z[\])]`,
		`\[O\]pen Read-Only, \(E\)dit`,
		`[\[(][a-z][\])][a-z]+\b.{1,40}[\[(][a-z][\])][a-z]+ *[:?>] *$`, // [k]eep / [t]heirs:
		`\bselection number\b`, `^what now> $`, `^\?# $`, `^\? .*\((?-i:[a-z]+H)\) *$`,
	},
	yesNoQuestion: {
		`^\W*(?:are|do|does|is|should|shall|would|will|ok|okay|really|continue|proceed|delete|remove|overwrite|` +
			`replace|install|save|quit|exit|abort|retry|keep|reload|trust|allow)\b[^?]*\? *$`,
		`\b(?:are you sure|is this ok|is this correct|ok to \w+|continue|proceed|anyway)[^?]{0,60}\? *$`,
	},
	answeredLine: {`[\])>?:] *(?:` + yes + `|` + no + `) *$`},
	defaultShown: {`(?:[^\d)]:|\?) ?[\[(][\w./~"'@<$][^\])]*[\])] *$`, `\w ?[\[(][^\])]*[\])] ?[:?] *$`},
	drawnField:   {`^[│┃|]? *>(?: |$)`},
	replPrompt: {
		`^(?:>>>|\.\.\.) $`, `^(?:in \[\d+\]:|out\[\d+\]:|   \.\.\.:) *$`, `^\((?:i?pdb\+*|gdb|lldb|dlv|byebug|rdbg|parted|rr|jdb)\) $`, `^i?pdb> $`,
		`^\((?:failed )?(?:reverse-|bck-|fwd-)?i-search\)`, `^(?:failing )?(?:bck|fwd)-i-search: `,
		`^ *DB<+\d+>+ $`, `^\(rdb:\d+\) $`, `^\([a-z][\w.-]{0,30}\) $`, `^#;\d+> $`, `^\?- $`, `^[\w.-]+:[\w./~-]+> $`,
		`^irb\([^)]*\)[:\d]*[>*"'] $`, `^\[\d+\] pry\([^)]*\)[>*"'] $`, `^(?:sqlite|   \.\.\.)> $`,
		`^(?:mysql|mariadb(?: \[[^\]]*\])?|    -|    '|    "|    /\*)> $`, `^\w[\w.-]*[=('"*^!]?[*!]?[#>] $`,
		`^(?:php|ruby|node|scala|jshell|julia|ghci|prelude|iex|ftp|sftp|telnet|lftp|gnuplot|redis|not connected)\b[^:]*> $`,
		`^[\w.-]+:\d+(?:\[\d+\])?> $`, `^octave(?:\.exe)?:\d+> $`, `^iex\(\d+\)> $`, `^\*?[a-z][\w. ]*(?:\([\w. -]+\))?> $`, `^[a-z]:\\[^<>|"?*]*>$`,
	},
	yesOrNo:         {`^` + yes + `$`, `^` + no + `$`},
	yesAndNo:        {`^\W*yes\b.{0,8}?\W+no\b\W*$`},
	secretWord:      {secret, `\b(?:pin|otp|code|token|key|secret)\b`, `\bpass *(?m:[:?]|$)`},
	onlyYesNote:     {`\bonly ['"]?yes['"]? will be accepted`},
	menuItem:        {`^ *(?:>|\*|->)? *(?:\[[0-9a-z]{1,3}\]|\([0-9a-z]{1,3}\)|\d{1,3}[.):]|\d{1,3} [-–]|[a-z][.)]|[a-z](?: or [a-z])? +:) *\S`},
	menuColumns:     {`^ *\d{1,3}[.):] *\S.* {2,}\d{1,3}[.):] *\S`},
	menuTable:       {`^[ *>] *\d{1,3} {2,}\S`},
	menuTicks:       {`^[│┃|]? *[` + drawn + `](?: *[` + drawn + `])? +\S`},
	menuBoxes:       {`^ *[○◯□◻☐◉◼☑☒] +\S`},
	menuPointer:     {`^[│┃|]? *(?:[` + arrows + `]|>|\(\*\)|\[[ x]\])(?: |[` + drawn + `]) *\S`, `^[│┃|]? *● *\S`},
	libraryQuestion: {`^(?:\?|\[\?\]|◆|◇|▲|\? *❯) +\S`},
	pagerStatus:     {`^:$`, `\(END\)`, `^lines \d+`, `--more--`, `\d%\)?$`, `^log file is already in use`},
	editorStatus:    {`^[-ir] .* \d+/\d+ \d+%$`},
	dialogButton:    {`[<\[] *[<]? *\^?[a-z_][\w ']* *>? *[>\]]`},
	widget:          {`^(?:\[[ x*]\] |\([ x*•●]\) |< *[a-z].* *>$|\[ +[a-z]\w* +\]$)`},
	progressBar:     {`\[[-=#.·> ]{3,}$`, `={3,}>$`},
	logLine: {
		`^[ >]*\[?\d{1,4}[-/.:]\d\d?[-/.:]\d\d`, `^\[[ \d.:%/]+\] `, `\d ?%`,
		`^\W*(?:error|err|warning|warn|info|information|debug|trace|notice|note|fatal|verbose|log|stdout|stderr)\b`,
		`\b(?:` + working + `)ing\b[^?]*: *$`, `https?://[^\s'"]*:? *$`, `(?-i:\b(?:WARN|WARNING|ERR|ERROR|INFO|DEBUG|NOTICE)\b)`,
		`\b(?:progress|elapsed|eta|remaining|status|total|speed|loaded|result|results|output|` +
			`failed|done|found|errors?|warnings?|info|debug|time|note|started|completed|finished|usage|see|at|files|hint|help)(?: \([^)]*\))?: *$`,
	},
	progress: {
		`\b\d{1,2}(?:\.\d+)? ?%`, `\[[=#]+[>=#. -]*\]?(?: |$)`, `[█▓]+[░▒]+`, `\d ?[kmg]i?b?/s\b`, `\beta:? *\d`,
		`(?:^|[ │|])[` + spinners + `](?: |$)`,
	},
	busyWords: {
		`\bplease wait\b`, `\b(?:` + working + `)ing\b[^?]*(?:\.\.\.|…) *$`,
	},
	widgetKeys: {`[↑↓].*(?:[·•]|\b(?:navigate|move|select|choose|submit)\b)`, `\b(?:enter|return) (?:to )?(?:submit|select|confirm|continue|choose|next)\b`},
	screenKeys: {
		`(?:^|[\s\[(<:|,•·])(?:q|esc|f10|\^[xqc]|ctrl[-+][xqc])[\])>]?[: =-]+(?:to )?(?:quits?|exits?|closes?|cancels?|back)\b`, `\bf1 ?help\b`, `10 ?quit\b`,
		`\b(?:quit|exit|close|back|cancel)[: ]*[\[(<](?:q|esc|f10|\^[xqc])[\])>]`,
		`\b(?:press|hit|use|type) (?:any key|the arrow|arrow|[\[('"<]?(?:q|esc|enter|f10|space|tab|\?)[\])'">]?)\b`, `[\[(]y/n[\])]`,
	},
	keyRemark:    {`[\[(][^\[\]()]*(?:[←↓↑→⏎]|\barrow|\b(?:enter|space|keys?|tab)\b|<\w+>|\? (?:for|shows))[^\[\]()]*[\])]`, `› +- use arrow-keys.*`, `(?m:[\[(](?:use|press|move)\b[^\[\]()\n]*$)`},
	toggleKey:    {`\b(?:toggle|space|spacebar)\b`},
	tickBox:      {`^(?:\[[ x*✓]\]|\([ x*•●]\))(?: +|$)|^[○◯□◻☐●•⬡◉◼☑☒■✓✔⬢] *`},
	sideWord:     {`(?:[○●◯◉❯›>] ?)?\pL+`},
	wholeRow:     {`[^\pC\s│┃|].*`},
	choiceKey:    {`[\[(](\pL{1,3}|\d{1,2}|\?)[\])]|(?:(?m:^)|  )[ >*]*(\d{1,3}|[a-z])(?:[.):]| [-–]) `},
	choiceEnd:    {`[,;/|\n\]]|  | or | [\[(]`},
	listEnd:      {`\n|  `},
	choiceList:   {`[\[(<](` + items + `(?:[,/|]| or )` + items + `|yn[a-z]*\??|ny)[\])>](?: *[\[(](?:default[ =:]*)?([^()\[\]]*)[\])])? *[:?>]* *$`},
	namedDefault: {`(\bdefault(?: is|s to)?[ =:]*["']?)([^\s"'()\[\],]+)["']?[)\],]`},
	lastBrackets: {`([:?] ?[\[(]|[\[(])([^\s\[\]()|,]+)[\])] ?[:?>]? *$`},
	noDefault: {
		`^(?:optional|required|hidden|none|empty|unchanged|default|null|enter|return|\.{3})$`, `^[\d.]+(?:-|–|\.\.)[\d.]+$`,
		`^(?:[kmgt]i?b|bytes|ms|seconds?|minutes?|hours?|days?|px|%)$`,
	},
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
	case '❯', '➜', 'λ', '»', '›', '▶', '⟩', '〉', '⇒', '❱', '➤', '\ue0b0', '⟫', 'ᐅ', '→', '⮞', '⯈':
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

// markedQuestion reports whether text ends with an arrow behind a question: "Name: › ". The prompt of a shell has no arrow behind a
// colon.
func markedQuestion(text string) bool {
	trimmed := strings.TrimRight(text, " \u00a0")
	_, size := utf8.DecodeLastRuneInString(trimmed)
	return shellEnd(text) && !ends(trimmed, "$#%") && ends(trimmed[:len(trimmed)-size], ":?")
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
