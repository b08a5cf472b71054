package prompt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// choicesIn returns the choices that the text of a question names, and which of them counts if only Enter is typed:
// (p) Postpone, [y]es, [y/N], [a/b/c] (b), and the rows of a list.
func choicesIn(text string, kind Kind) (choices []Option, other string) {
	if choices, other = keyedChoices(text, kind); len(choices) > 1 {
		return choices, other
	}
	m := choiceList.regexp().FindStringSubmatch(lastLine(text))
	if m == nil {
		return nil, ""
	}
	list, other := m[1], m[2]
	if inner := itemsOf(other, kind); len(inner) > 1 {
		list, other = other, ""
	}
	choices, capitals, short := nil, "", true
	for _, item := range itemsOf(list, kind) {
		o := Option{Text: strings.Trim(item, "[]")}
		word := yesOrNo.find(o.Text)
		short = short && (word || utf8.RuneCountInString(o.Text) == 1 || o.Text != item)
		if o.Text == "" || strings.ContainsAny(o.Text, " []") {
			return nil, ""
		}
		if o.Text == item || word { // otherwise it names what can be typed: (yes/no/[fingerprint])
			o.Key = o.Text
		}
		if o.Text != item && word { // (y or [n])
			other = o.Text
		}
		if unicode.IsUpper(leading(o.Text)) && !strings.Contains(list, ",") { // git has j and J
			capitals += o.Text + "\n"
		}
		choices = append(choices, o)
	}
	offered := hasKey(choices, other)
	if len(choices) < 2 || !offered && (other != "" || !short || kind != Choice && kind != Confirm && len(choices) < 3) {
		return nil, ""
	}
	if other == "" && strings.Count(capitals, "\n") == 1 && short {
		other = strings.TrimSpace(capitals)
	}
	return choices, other
}

// itemsOf returns the items of a list in brackets. Yes and no may be among letters without anything between them.
func itemsOf(list string, kind Kind) []string {
	if kind == Confirm && yesNoLetters.find(list) {
		return strings.Split(list, "")
	}
	for _, between := range []string{",", "/", "|", " or "} {
		if items := strings.Split(strings.ReplaceAll(list, between+" ", between), between); len(items) > 1 {
			return items
		}
	}
	return nil
}

// leading returns the first character of a text.
func leading(text string) rune {
	c, _ := utf8.DecodeRuneInString(text)
	return c
}

// hasKey reports whether one of the choices has a key.
func hasKey(choices []Option, key string) bool {
	return key != "" && slices.ContainsFunc(choices, func(o Option) bool { return o.Key == key })
}

// keyedChoices returns the choices that have their key in front of the text or in it: "(p) Postpone", "[y]es", "A(u)to". Of a
// question for a choice, these may be the rows of a list: "1) red", "3: select by numbers  4: ask each". The only key in square
// brackets, among others in round ones, counts if only Enter is typed.
func keyedChoices(text string, kind Kind) (choices []Option, other string) {
	round, end := 0, 0
	for _, m := range choiceKey.regexp().FindAllStringSubmatchIndex(text, -1) {
		key, begin, glued, ok := keyedFrom(text, m, kind)
		if !ok {
			continue
		}
		if apart := text[min(end, begin):begin]; !choiceEnd.regexp().MatchString(apart) && !(glued && apart == " ") {
			choices, round, other = nil, 0, ""
		}
		label, rest, stop := "", strings.TrimLeft(text[m[1]:], " -"), choiceEnd
		if glued {
			label = text[begin:m[0]] + key
		} else if line := strings.TrimRight(text[:m[0]], " "); kind == Choice && (line == "" || ends(line, "\n")) {
			stop = listEnd
		}
		if cut := stop.regexp().FindStringIndex(rest); cut != nil {
			rest = rest[:cut[0]]
		}
		end = m[1] + strings.Index(text[m[1]:], rest) + len(rest)
		switch text[m[0]] {
		case '[':
			other = key
		case '(':
			round++
		}
		choices = append(choices, Option{Text: label + strings.TrimRight(rest, " .:?>"), Key: key})
	}
	if round == 0 || round != len(choices)-1 {
		other = ""
	}
	return choices, other
}

// keyedFrom returns the key of a match, where its choice begins, and whether it is a part of the choice's text. ok is false if it is
// no choice: "file(s)", "size (MB)".
func keyedFrom(text string, m []int, kind Kind) (key string, begin int, glued, ok bool) {
	if m[4] >= 0 { // a row of a list
		return text[m[4]:m[5]], m[4], false, kind == Choice
	}
	key, begin = text[m[2]:m[3]], m[0]
	if unicode.IsLetter(leading(text[m[1]:])) {
		return key, len(strings.TrimRightFunc(text[:begin], unicode.IsLetter)), true, true
	}
	before := strings.TrimRight(text[:begin], " ")
	apart := before == "" || ends(before, ",;:/|\n.?") || strings.HasSuffix(before, " or") || strings.HasSuffix(text[:begin], "  ")
	return key, begin, false, apart && wordCharacter(leading(strings.TrimLeft(text[m[1]:], " -")))
}

// defaultOf returns the default that a text names in words or shows in brackets at its end, if none is known yet. Brackets may hold
// something else: round ones count only behind the mark of the question, and for one of the choices or a path.
func defaultOf(known, text string, kind Kind, choices []Option) string {
	line := lastLine(text)
	if m := namedDefault.regexp().FindStringSubmatch(line); m != nil && known == "" {
		return m[1]
	}
	m := lastBrackets.regexp().FindStringSubmatch(line)
	if known != "" || m == nil || noDefault.find(m[3]) || keyRemark.find("("+m[3]+")") || kind == Confirm && !yesOrNo.find(m[3]) {
		return known
	}
	path := strings.ContainsAny(m[3][:1], "/~.")
	if strings.Contains(m[3], "/") && !path || m[2] != "[" && strings.Contains(m[3], " ") || m[2] != "[" && m[1] == "" && !path && !hasKey(choices, m[3]) && !libraryQuestion.begins(line) {
		return ""
	}
	return m[3]
}
