package prompt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// choicesIn returns the choices that the text of a question names, and which of them counts if only Enter is typed.
func choicesIn(text string, kind Kind) (choices []Option, preset string) {
	switch line := lastLine(text); {
	case kind == Confirm: // the lines above only give the reason
		text = line
	case !ends(line, ":?>#"): // it may be any output
		return nil, ""
	}
	if choices, preset = keyedChoices(text, kind); len(choices) > 1 {
		return choices, preset
	}
	return listedChoices(lastLine(text), kind)
}

// listedChoices returns the choices of a list in brackets at the end of a line: [y/N], [a/b/c] (b). Brackets have other things too: one
// of the items must be the default, or the line must ask to choose among letters.
func listedChoices(line string, kind Kind) (choices []Option, preset string) {
	m := choiceList.regexp().FindStringSubmatch(line)
	if m == nil {
		return nil, ""
	}
	list, preset := m[1], m[2]
	var capitals []string
	short := true
	for _, item := range itemsOf(list) {
		o := Option{Text: strings.Trim(item, "[]")}
		word := yesOrNo.find(o.Text)
		switch {
		case o.Text == "" || strings.ContainsAny(o.Text, " []"):
			return nil, ""
		case o.Text == item:
			o.Key, short = item, short && (word || utf8.RuneCountInString(item) == 1)
			if unicode.IsUpper(leading(item)) {
				capitals = append(capitals, item)
			}
		case word: // (y or [n]); else it names what can be typed: (yes/no/[fingerprint])
			o.Key, preset = o.Text, o.Text
		}
		choices = append(choices, o)
	}
	if len(capitals) == 1 && preset == "" && kind == Confirm && yesOrNo.find(capitals[0]) && !strings.Contains(list, ",") { // git has j and J
		preset = capitals[0]
	}
	if letters := short && preset == "" && (kind == Confirm || kind == Choice); len(choices) < 2 || !letters && !hasKey(choices, preset) {
		return nil, ""
	}
	return choices, preset
}

// itemsOf returns the items of a list in brackets. They are letters if nothing is between them.
func itemsOf(list string) []string {
	for _, between := range []string{",", "/", "|", " or "} {
		if items := strings.Split(strings.ReplaceAll(list, between+" ", between), between); len(items) > 1 {
			return items
		}
	}
	return strings.Split(list, "")
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
func keyedChoices(text string, kind Kind) (choices []Option, preset string) {
	brackets, end := "", 0 // brackets has the first character of each choice
	for _, m := range choiceKey.regexp().FindAllStringSubmatchIndex(text, -1) {
		key, label, begin := keyedFrom(text, m, kind)
		if key == "" {
			continue
		}
		row := kind == Choice && label == "" && strings.TrimSpace(lastLine(text[:begin])) == ""
		apart := text[min(end, begin):begin]
		if joined := choiceEnd.find(apart) || label != "" && apart == " "; !joined || !row && strings.Count(apart, "\n") > 1 {
			choices, brackets = nil, ""
		}
		rest, stop := strings.TrimLeft(text[m[1]:], " -"), choiceEnd
		if row {
			stop = listEnd
		}
		if cut := stop.regexp().FindStringIndex(rest); cut != nil {
			rest = rest[:cut[0]]
		}
		end = m[1] + strings.Index(text[m[1]:], rest) + len(rest)
		brackets += text[m[0] : m[0]+1]
		choices = append(choices, Option{Text: label + strings.TrimRight(rest, " .:?>"), Key: key})
	}
	if i := strings.IndexByte(brackets, '['); i >= 0 && len(choices) > 1 && strings.Count(brackets, "(") == len(choices)-1 {
		preset = choices[i].Key
	}
	return choices, preset
}

// keyedFrom returns the key of a match, the beginning of its choice's text up to the key if the key is a part of that, and where the choice
// begins. key is "" if it is no choice: "file(s)", "size (MB)".
func keyedFrom(text string, m []int, kind Kind) (key, label string, begin int) {
	if m[4] >= 0 { // a row of a list
		if kind == Choice {
			key = text[m[4]:m[5]]
		}
		return key, "", m[4]
	}
	key, begin = text[m[2]:m[3]], m[0]
	if unicode.IsLetter(leading(text[m[1]:])) {
		begin = len(strings.TrimRightFunc(text[:begin], unicode.IsLetter))
		return key, text[begin:m[0]] + key, begin
	}
	before := strings.TrimRight(text[:begin], " ")
	apart := before == "" || ends(before, ",;:/|\n.?") || strings.HasSuffix(before, " or") || strings.HasSuffix(text[:begin], "  ")
	if !apart || !wordCharacter(leading(strings.TrimLeft(text[m[1]:], " -"))) {
		key = ""
	}
	return key, "", begin
}

// defaultOf returns the default that a text names in words or shows in brackets at its end. Brackets may hold something else: the default
// is one word. Round ones count only behind the mark of the question, and for one of the choices or a path.
func defaultOf(text string, kind Kind, choices []Option) string {
	line := lastLine(text)
	m := namedDefault.regexp().FindStringSubmatch(line)
	if m == nil {
		m = lastBrackets.regexp().FindStringSubmatch(line)
	}
	if m == nil || noDefault.find(m[2]) || kind == Confirm && !yesOrNo.find(m[2]) {
		return ""
	}
	library, path := libraryQuestion.begins(line), strings.ContainsAny(m[2][:1], "/~.")
	asks := library || ends(line, ":?>") || ends(m[1][:1], ":?")
	if !asks || strings.Contains(m[2], "/") && !path || m[1] == "(" && !path && !library && !hasKey(choices, m[2]) {
		return ""
	}
	return m[2]
}
