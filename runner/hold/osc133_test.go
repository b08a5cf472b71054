package hold

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const testAid = "0123456789abcdef"

// scanIn scans text in pieces that end at the offsets cuts.
func scanIn(text string, cuts ...int) (marks []shellMark, held int) {
	s := markScanner{aid: testAid}
	from := 0
	for _, to := range append(cuts, len(text)) {
		to = min(max(from, to), len(text))
		s.scan([]byte(text[from:to]), int64(from), func(m shellMark) { marks = append(marks, m) })
		from = to
	}
	return marks, len(s.held)
}

func TestMarks(t *testing.T) {
	aid := "aid=" + testAid
	for text, want := range map[string][]shellMark{
		"":                                       nil,
		"text \x1b]133;A\a more":                 nil,
		"\x1b]133;D;3\a":                         nil,
		"\x1b]133;D;3;aid=0\a":                   nil,
		"a\x1b]133;A;" + aid + ";s=3;r=\ab":      {{kind: 'A', begin: 1, end: 37, code: 3}},
		"\x1b]133;C;" + aid + ";r=12\a":          {{kind: 'C', end: 34, code: -1, run: 12}},
		"\x1b]133;D;1;" + aid + ";r=1;p=1,0,2\a": {{kind: 'D', end: 43, code: 1, run: 1, complete: true, stages: []int{1, 0, 2}}},
		"\x1b]133;D;1;" + aid + ";r=1;p=\a":      {{kind: 'D', end: 38, code: 1, run: 1, complete: true}},
		"\x1b]133;X;" + aid + ";r=4;e=line\a":    {{kind: 'X', end: 40, code: -1, run: 4, reason: "line"}},
		"\x1b]133;\x1b]133;B;" + aid + "\a":      {{kind: 'B', begin: 6, end: 35, code: -1}},
		"\x1b]133;D;" + strings.Repeat("1", 3000) + "\a\x1b]133;B;" + aid + "\a": {{kind: 'B', begin: 3009, end: 3038, code: -1}},
	} {
		if got, held := scanIn(text); !reflect.DeepEqual(got, want) || held != 0 {
			t.Errorf("%q: %+v, held %d, want %+v", text, got, held, want)
		}
	}
	for _, text := range []string{"\x1b", "\x1b]13", "\x1b]133;", "\x1b]133;D;1;aid"} {
		if got, held := scanIn("some " + text); got != nil || held != len(text) {
			t.Errorf("%q: %v, held %d of %d", text, got, held, len(text))
		}
	}
}

// Marks are found wherever the text is cut, and where it is not.
func FuzzMarks(f *testing.F) {
	f.Add("\x1b]133;A\a text \x1b]133;D;3;aid="+testAid+";r=1;p=3\a", 3, 20)
	f.Add("\x1b]133;\x1b]133;B;aid="+testAid+"\a", 7, 8)
	f.Add("\x1b]133;D;"+strings.Repeat("1", 2*maxMark)+"\a", 100, maxMark+1)
	f.Fuzz(func(t *testing.T, text string, first, second int) {
		whole, _ := scanIn(text)
		parts, held := scanIn(text, first, second)
		if fmt.Sprint(whole) != fmt.Sprint(parts) {
			t.Errorf("%q: %v, in parts %v", text, whole, parts)
		}
		if held > maxMark {
			t.Errorf("%d bytes are held", held)
		}
		for _, m := range whole {
			if m.begin < 0 || m.end > int64(len(text)) || !strings.HasPrefix(text[m.begin:m.end], markIntro) || !strings.Contains(text[m.begin:m.end], testAid) {
				t.Errorf("%q: %+v", text, m)
			}
		}
	})
}

func TestLeadIn(t *testing.T) {
	for text, want := range map[string]struct {
		n     int
		whole bool
	}{
		"":              {0, false},
		"hello":         {0, true},
		"\x1b[31mhello": {0, true},
		"\r10%":         {0, true},
		"\x1b[?2004l\x1b]0;title\a\x1b[30m\x1b(B\x1b[m\rhello":   {30, true},
		"\x1b[?2004l\x1b]0;title\a\x1b[30m\x1b(B\x1b[m\r\rhello": {30, true},
		"\x1b[?2004l\x1b[30m\x1b(B\x1b[m\rhello":                 {19, true},
		"\x1b[?2004l\x1b]0;titl":                                 {0, false},
		"\x1b[?2004l\x1b]0;title\a\x1b[30m\x1b(B\x1b[m":          {0, false},
		"\x1b[?2004l\x1b[3":                                      {0, false},
	} {
		var l leadIn
		l.see([]byte(text), 100)
		l.begin(&shellRun{}, 100)
		if n, whole := l.length(100 + int64(len(text))); n != want.n || whole != want.whole {
			t.Errorf("%q: %d, %v, want %d, %v", text, n, whole, want.n, want.whole)
		}
	}
}

// What a shell prints before the output of a command is a part of what was printed, however it comes in pieces.
func FuzzLeadIn(f *testing.F) {
	f.Add("\x1b[?2004l\x1b]0;title\a\x1b[30m\x1b(B\x1b[m\rhello", 5)
	f.Add("\x1b]0;"+strings.Repeat("x", 2*maxLead), 100)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		cut = max(0, min(cut, len(text)))
		var l leadIn
		l.see([]byte(text[:cut]), 100)
		l.begin(&shellRun{}, 100)
		if cut < len(text) {
			l.see([]byte(text[cut:]), 100+int64(cut))
		}
		n, _ := l.length(100 + int64(len(text)))
		if n < 0 || n > len(text) || len(l.text) > 2*maxLead {
			t.Errorf("%q: %d bytes, %d are kept", text, n, len(l.text))
		}
	})
}
