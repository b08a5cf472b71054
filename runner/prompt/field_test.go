package prompt

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"devtools/screen"
)

// What a program prints for a question, and after the text of an answer was typed, on a screen of 20 by 6.
var answered = []struct {
	name, question, after string
	answer                string
	secret                bool
	want                  Field
}{
	{"a line editor", "? Name: ", "blue", "blue", false, Shows},
	{"drawn anew", "? Name: ", "\r\x1b[K? Name: blue", "blue", false, Shows},
	{"in colour", "\x1b[1m? Name:\x1b[m ", "\x1b[36mblue\x1b[m", "blue", false, Shows},
	{"no blank before the field", "Name:", "blue", "blue", false, Shows},
	{"words with blanks", "Name: ", "dark blue", "dark blue", false, Shows},
	{"a blank at the end", "Name: ", "blue ", "blue ", false, Shows},
	{"wide characters", "名前: ", "青い", "青い", false, Shows},
	{"a field on a line of its own", "Name?\r\n", "blue", "blue", false, Shows},
	{"over two rows", "Long name: ", "abcdefghijklmnopqr", "abcdefghijklmnopqr", false, Shows},
	{"over two rows, by moving the cursor", "Long name: ", "abcdefghi\r\njklmnopqr", "abcdefghijklmnopqr", false, Shows},
	{"the screen scrolls", "1\r\n2\r\n3\r\n4\r\n5\r\nLong name: ", "abcdefghijklmnopqr", "abcdefghijklmnopqr", false, Shows},
	{"a placeholder goes away", "Name? \x1b[2mgreen\x1b[m\x1b[5D", "\x1b[Kblue", "blue", false, Shows},
	{"a placeholder with the same beginning", "Name? \x1b[2mbl-a\x1b[m\x1b[4D", "\x1b[Kbl-b", "bl-b", false, Shows},
	{"a hidden cursor", "\x1b[?25lName? ", "blue", "blue", false, Shows},
	{"a hidden cursor and a placeholder", "\x1b[?25lName? green", "\b\b\b\b\bblue\x1b[K", "blue", false, Shows},
	{"a default that the text replaces", "Name: green", "\b\b\b\b\b\x1b[Kblue", "blue", false, Shows},
	{"a placeholder in brackets", "? Name (green) ", "\r\x1b[K? Name blue", "blue", false, Shows},
	{"a placeholder before the cursor", "? Name: › \x1b[2mgreen\x1b[m", "\r\x1b[K? Name: › blue", "blue", false, Shows},
	{"a mask", "PIN: ", "****", "1234", false, Shows},
	{"a cursor that is off by one", "PIN: ", "****\b", "1234", false, Shows},
	{"a cursor that lags behind", "your own?\r\nName? \x1b[3D", "\r\x1b[KName? blue\x1b[3D", "blue", false, Shows},
	{"a cursor that lags behind a placeholder", "Name? (green) \x1b[3D", "\r\x1b[KName? blue\x1b[3D", "blue", false, Shows},
	{"a mask of dots", "PIN: ", "••••", "1234", false, Shows},
	{"nothing is shown of a secret", "Password: ", "", "1234", true, Shows},

	{"a secret field drawn anew at each key", "\x1b[36m? \x1b[1mPIN\x1b[m › ", "\x1b[2K\r\x1b[36m? \x1b[1mPIN\x1b[m › \x1b[2K\r\x1b[36m? \x1b[1mPIN\x1b[m › ", "12", true, Shows},
	{"a secret field drawn anew with the help below it", "\x1b[?25l? PIN [masked]\r\n^T shows\x1b[A", "\r\x1b[J? PIN [masked]\r\n^T shows\x1b[A\r\x1b[J? PIN [masked]\r\n^T shows\x1b[A", "12", true, Shows},
	{"a mask with the cursor behind the ASCII characters", "? PIN: ", "****\x1b[2D", "größ", false, Shows},
	{"the next question ends with the letter of the answer", "Sure? ", "y\r\nDelete it only if really necessary, say why", "y", false, Left},
	{"a secret drawn anew for every second character", "PIN: ", "\r\x1b[KPIN: \x1b[2C\r\x1b[KPIN: \x1b[4C", "1234", true, Shows},
	{"a secret behind a caret that blinks", "\x1b[?25lPIN: \x1b[7m \x1b[m", "\rPIN:  \rPIN: \x1b[7m \x1b[m\rPIN:  ", "1234", true, Shows},
	{"a secret that is asked for again in its place", "PIN: ", "\r\x1b[KPIN: ", "1234", true, Stands},
	{"a secret, and a word that was there for a moment", "PIN: ", "\r\x1b[KWrong\r\x1b[KPIN: \x1b[4C", "1234", true, Stands},
	{"a blank for a secret of one character", "PIN: ", " ", "1", true, Shows},
	{"a secret is asked for again without a word", "PIN: ", "****\r\x1b[KPIN: ", "1234", true, Stands},
	{"a mask with the cursor within it", "? PIN: ", "****\x1b[2D", "1234", false, Stands},
	{"a mask that is all the program wanted", "PIN: ", "****\r", "1234", false, Left},
	{"a secret of one character is asked for again with its help", "\x1b[?25l? PIN [masked]\r\n^T shows\x1b[A", "\r\x1b[J? PIN [masked]\r\n^T shows\x1b[A", "1", true, Stands},
	{"a question without a mark moves to another row", "姓名", "\r\x1b[K\r\n姓名bob", "bob", false, Stands},
	{"a bell", "Sure? ", "y\a", "y", false, Stands},
	{"another screen for a moment", "Sure? ", "y\x1b[?1049hworking\x1b[?1049l", "y", false, Stands},
	{"all drawn anew", "Sure? ", "\x1b[H\x1b[2JSure? y", "y", false, Stands},

	{"nothing is shown", "Name: ", "", "blue", false, Stands},
	{"a default in front", "Name: green", "blue", "blue", false, Stands},
	{"a default with the cursor in it", "Name: green\x1b[3D", "\r\x1b[KName: greenblue\x1b[3D", "blue", false, Stands},
	{"a default of one mark", "Name: 5", "blue", "blue", false, Stands},
	{"a default behind", "Name: green\x1b[5D", "\x1b[4@blue", "blue", false, Stands},
	{"a suggestion behind", "$ ", "git\x1b[2m status\x1b[m\x1b[7D", "git", false, Stands},
	{"a menu opens below", "Name: ", "bl\x1b[s\r\nblue\r\nblack\x1b[u", "bl", false, Stands},
	{"another mark below", "Name: ", "!\x1b[s\r\ninvalid\x1b[u", "!", false, Stands},
	{"a mask of another length", "PIN: ", "******", "1234", false, Stands},
	{"another word", "Sure? (y/N) ", "yes", "y", false, Stands},
	{"a hidden cursor and a default in front", "\x1b[?25lName? green", "blue", "blue", false, Stands},
	{"a hidden cursor and another word", "\x1b[?25lSure? No", "\b\bYes", "y", false, Stands},

	{"a mark for a key", "Sure? ", ".", "y", false, Stands},
	{"another mark for a key", "Sure? ", "✔", "y", false, Stands},
	{"marks for a word", "Sure? ", "...", "yes", false, Stands},
	{"a prompt in the place of the question", "Start? ", "\r\x1b[K>>>", "yes", false, Left},
	{"a prompt below the question", "Run it?\r\n", ">>>", "yes", false, Stands},
	{"a result in the place of the question", "Sure? ", "\r\x1b[Kok", "ok", false, Stands},
	{"a result that begins as the question", "Apply? ", "\r\x1b[KApply ok", "ok", false, Stands},
	{"the next item", "Item 1 of 3? ", "\r\x1b[KItem 2", "2", false, Stands},
	{"a default with a sign", "Rate: 50%", "10", "10", false, Stands},
	{"a default with a colon", "Path: C:", "foo", "foo", false, Stands},
	{"a mark within the question", "Path: of data: ", "bug", "bug", false, Shows},
	{"a mode changes", "Sure? ", "y\x1b[?2004h", "y", false, Left},
	{"the hidden cursor goes on", "\x1b[?25lSure? ", "y\r\n", "y", false, Stands},
	{"the cursor is hidden and goes on", "Sure? ", "y\r\n\x1b[?25l", "y", false, Stands},
	{"a line is ended in silence", "PIN: ", "\r\n", "1234", true, Left},
	{"a secret is asked for again", "PIN: ", "\r\x1b[KWrong\r\x1b[KPIN: ", "1234", true, Stands},
	{"the question in another colour", "Sure? ", "\r\x1b[31mSure? \x1b[my", "y", false, Stands},
	{"the cursor goes on", "Sure? ", "y  ", "y", false, Stands},
	{"the cursor is hidden", "Sure? ", "y\x1b[?25l", "y", false, Stands},
	{"the title changes", "Sure? ", "y\x1b]2;asked\a", "y", false, Stands},
	{"one mark", "Delete: ", "*", "y", false, Stands},
	{"the cursor goes back", "Sure? ", "y\r", "y", false, Left},
	{"a highlight moves", "Find: \r\n\x1b[7ma\x1b[m\r\nb\x1b[H\x1b[6C", "b\r\na\r\n\x1b[7mb\x1b[m\x1b[H\x1b[7C", "b", false, Stands},
	{"a counter", "Name (0/9): ", "\r\x1b[KName (4/9): blue", "blue", false, Stands},
	{"a line above", "Name: ", "\r\x1b[Klog line\r\nName: blue", "blue", false, Stands},
	{"a spinner in front", "- Name: ", "\r\x1b[K\\ Name: blue", "blue", false, Stands},
	{"a word below a hidden cursor", "\x1b[?25lName: ", "b\r\ntoo short", "b", false, Stands},
	{"brackets around it", "Phone: ", "(555) ", "555", false, Stands},
	{"other letters", "Title: ", "OK?", "ok?", false, Stands},
	{"the question loses its sign", "\x1b[?25lSure? (y/N)", "\rSure? yes\x1b[K\r\n", "yes", false, Left},

	{"the next question", "Sure? ", "y\r\nName: ", "y", false, Left},
	{"the same question again", "Sure? ", "y\r\nSure? ", "y", false, Left},
	{"again, with nothing shown", "Sure? ", "\r\nSure? ", "y", false, Left},
	{"again, after a scroll", "1\r\n2\r\n3\r\n4\r\n5\r\nSure? ", "y\r\nSure? ", "y", false, Left},
	{"the line drawn as answered", "? Sure? (y/N) ", "\r\x1b[K✔ Sure? … yes\r\n? Name: ", "y", false, Left},
	{"the cursor below", "Sure? ", "y\r\n", "y", false, Left},
	{"another screen", "Sure? ", "\x1b[?1049hSure? ", "y", false, Left},
	{"the next question in the same line", "Sure? ", "Really? ", "y", false, Left},
	{"the next one behind the key", "Sure? ", "yReally? ", "y", false, Left},
	{"the same one in the same line", "Sure? ", "ySure? ", "y", false, Left},
}

func TestAfterAnswer(t *testing.T) {
	for _, test := range answered {
		terminal := screen.New(20, 6, 100)
		shoot := func(output string) Shot {
			_, _ = terminal.Write([]byte(output))
			return Shot{Picture: terminal.Snapshot(screen.Visible()), First: terminal.Scrolled()}
		}
		question := shoot(test.question)
		answer := TypedAnswer{Text: test.answer, Kind: Line, Secret: test.secret, Output: test.after}
		if got := AfterAnswer(question, shoot(test.after), answer); got != test.want {
			t.Errorf("%s: %s; want %s", test.name, got, test.want)
		}
	}
}

// A recordedAnswer is what a program printed for a question, and then while an answer was typed.
type recordedAnswer struct {
	Name, Question, After, Answer string
	Kind                          Kind
	Want                          Field
}

// The fields of prompt libraries, recorded: those that draw their caret, and confirmations that one key ends.
func TestAfterAnswerRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/fields.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var r recordedAnswer
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		terminal := screen.New(80, 24, 100)
		shoot := func(output string) Shot {
			_, _ = terminal.Write([]byte(output))
			return Shot{Picture: terminal.Snapshot(screen.Visible()), First: terminal.Scrolled()}
		}
		question := shoot(r.Question)
		answer := TypedAnswer{Text: r.Answer, Kind: r.Kind, Secret: r.Kind == Password, Output: r.After}
		if got := AfterAnswer(question, shoot(r.After), answer); got != r.Want {
			t.Errorf("%s: %s; want %s", r.Name, got, r.Want)
		}
	}
}

// Of a yes or no, some programs take only the first letter, and wait for Enter then.
func TestFirstLetterIsTaken(t *testing.T) {
	for _, test := range []struct {
		kind   Kind
		answer string
		want   Field
	}{{Confirm, "yes", Shows}, {Confirm, "no", Stands}, {Line, "yes", Stands}} {
		terminal := screen.New(20, 6, 100)
		shoot := func(output string) Shot {
			_, _ = terminal.Write([]byte(output))
			return Shot{Picture: terminal.Snapshot(screen.Visible()), First: terminal.Scrolled()}
		}
		question := shoot("? Add it? (y/N) ")
		if got := AfterAnswer(question, shoot("y"), TypedAnswer{Text: test.answer, Kind: test.kind}); got != test.want {
			t.Errorf("%s %q: %s, want %s", test.kind, test.answer, got, test.want)
		}
	}
}

// A yes or no is taken, too, where a library shows the word for a letter, or the question shows the choice.
func TestConfirmIsTaken(t *testing.T) {
	const hidden = "\x1b[?25l"
	for _, test := range []struct {
		question, after, answer string
		want                    Field
	}{
		{"? Add it? (y/N) ", "No", "n", Shows},
		{"? Add it? (y/N) ", "Yes", "y", Shows},
		{"? Add it? (y/N) ", "No", "y", Stands},
		{"? Add it? (y/N) ", "not", "n", Stands},
		{"Add it? (y/N) ", "Yes", "y", Stands}, // who takes y may print this, and wait for any key
		{"Add it? [y/N] ", "\r\x1b[KAdd it? [Y/n] ", "y", Shows},
		{hidden + "Add it? [y/N] ", "\r\x1b[KAdd it? [y/N] ", "n", Shows},
		{hidden + "Add it? [y/N] ", "\r\x1b[KSaved\r\x1b[KAdd it? [y/N] ", "n", Stands},
		{hidden + "Add it? (y/n) > yes", "\r\x1b[KAdd it? (y/n) > yes", "y", Shows},
		{hidden + "? Add it? (y/n) > yes", "\r\x1b[K? Add it? (y/n) > no", "n", Shows},
		{hidden + "Add it? (y/n) > yes", "\r\x1b[KAdd it? (y/n) > yes", "n", Stands},
		{"Add it? [y/N] ", "\r\x1b[KAdd it? [y/N] ", "n", Stands}, // the program may have asked twice
		{"Add it? [y/N] ", hidden, "n", Stands},
		{hidden + "Add it? [y/N] ", "", "n", Stands},
		{hidden + "* Yes / o No", "\r* Yes / o No", "n", Stands},
		{"Add it? [y/N] ", "\r\x1b[KAdd it? [Y/n] ", "n", Left},
		{"Add it? [y/N] ", "\r\x1b[KAdd it? [Y/N] ", "y", Left},
	} {
		question, after, output := shots(test.question, test.after)
		if got := AfterAnswer(question, after, TypedAnswer{Text: test.answer, Kind: Confirm, Output: output}); got != test.want {
			t.Errorf("%q, %q: %s, want %s", test.question, test.after, got, test.want)
		}
	}
}

// shots returns the pictures of a question and of what a program has printed since, and that output.
func shots(question, output string) (before, after Shot, printed string) {
	terminal := screen.New(30, 12, 100)
	shoot := func(output string) Shot {
		_, _ = terminal.Write([]byte(output))
		return Shot{Picture: terminal.Snapshot(screen.Visible()), First: terminal.Scrolled()}
	}
	return shoot(question), shoot(output), output
}

// A default in front of the answer is erased with it, and the field is empty then. What remains in front of the cursor is the
// question, because a program ignores further keys.
func TestToErase(t *testing.T) {
	for _, test := range []struct {
		question, typed, erased string
		want                    int
	}{
		{"Name: ada", "bob", "\b\b\b\b\b\b\x1b[K", 12},
		{"Message fix: bug", "bob", "\r\x1b[KMessage ", 19},
		{"\x1b[?25l> ada\x1b[7m \x1b[m", "\bbob\x1b[7m \x1b[m", "\r> \x1b[7m \x1b[m\x1b[K", 8},
		{"> ada", "bob", "\b\b\b\b\b\b\x1b[KYour name\x1b[9D", 8}, // with a placeholder
		{"Größe: weiß", "bob", "\b\b\b\b\b\b\b\x1b[K", 14},
	} {
		question, after, output := shots(test.question, test.typed)
		if got := ToErase(question, after, TypedAnswer{Text: "bob", Kind: Line, Output: output}); got != test.want {
			t.Errorf("%q: %d, want %d", test.question, got, test.want)
		}
		question, after, _ = shots(test.question, test.typed+test.erased)
		if f, empty := AfterErasing(question, after); f != Stands || !empty {
			t.Errorf("%q: %s, %v", test.question, f, empty)
		}
	}
	for name, test := range map[string]struct{ question, after string }{
		"a word below":        {"Name: ada", "bob\x1b[s\r\nno\x1b[u"},
		"a bell":              {"Name: ada", "bob\a"},
		"another text":        {"Name: ada", "Bob"},
		"drawn anew":          {"Name: ada", "\r\x1b[KName: bob"},
		"a suggestion behind": {"Name: ada", "bob\x1b[2m by\x1b[m\x1b[3D"},
		"the next question":   {"Name: ada", "\r\nAge: bob"},
		"a long default":      {strings.Repeat("a", maxErased), "bob"},
	} {
		question, after, output := shots(test.question, test.after)
		if got := ToErase(question, after, TypedAnswer{Text: "bob", Kind: Line, Output: output}); got != 0 {
			t.Errorf("%s: %d", name, got)
		}
	}
	question, after, _ := shots("Name: ada", "bob")
	if got := ToErase(question, after, TypedAnswer{Text: "bob", Kind: Confirm}); got != 0 {
		t.Errorf("a yes or no: %d", got)
	}
}

// The keys that erase belong to the question only while its line becomes shorter.
func TestErasing(t *testing.T) {
	for _, test := range []struct {
		after   string
		erasing bool
		field   Field
		empty   bool
	}{
		{"bob", true, Stands, false},
		{"bob\b\b\x1b[K", true, Stands, false},
		{"\r\x1b[KName: ", true, Stands, true},
		{"\r\x1b[KName: (ada) ", true, Stands, true},
		{"bob\r\nAge: 30", false, Left, false},
		{"\r\x1b[KAge: 30", false, Left, false},
		{"Bob", false, Stands, false},
		{"bob\x1b[?2004h", false, Left, false},
	} {
		question, after, _ := shots("Name: ada", test.after)
		if got := Erasing(question, after, "bob"); got != test.erasing {
			t.Errorf("%q: erasing %v", test.after, got)
		}
		if f, empty := AfterErasing(question, after); f != test.field || empty != test.empty {
			t.Errorf("%q: %s, %v", test.after, f, empty)
		}
	}
}

// Some libraries draw a question of two rows again below the old one. It stands only if nothing else was printed.
func TestDrawnAgain(t *testing.T) {
	for _, test := range []struct {
		after string
		want  Field
	}{
		{"\x1b[2K\rYour name?\r\n> da\x1b[2K\rYour name?\r\n> dark blue", Shows},
		{"dark\x1b[2K\rYour name?\r\n> dark blue", Shows},
		{"\x1b[2K\rYour name?\r\n> ", Left},
		{"\x1b[2K\rIs it wrong?\r\nYour name?\r\n> dark blue", Stands},
		{"dark blue\r\nok\r\nYour name?\r\n> dark blue", Stands},
		{"dark blue\r\nYour age?\r\n> dark blue", Stands},
		{"\x1b[2K\rYour name?\r\n> dark blue and more", Left},
	} {
		before, after, output := shots("Your name?\r\n> ", test.after)
		answer := TypedAnswer{Text: "dark blue", Question: "Your name?\n> ", Kind: Line, Output: output}
		if got := AfterAnswer(before, after, answer); got != test.want {
			t.Errorf("%q: %s, want %s", test.after, got, test.want)
		}
	}
}

// The first key of a yes or no may be all that the program takes, so it is typed alone (prompt-sync).
func TestDrawnAgainConfirm(t *testing.T) {
	for after, want := range map[string]Field{
		"\x1b[2K\rSure? [y/N]\r\n> n":          Shows,
		"n\r\nSure? [y/N]\r\n> ":               Left,
		"n\r\nNo\r\nSure? [y/N]\r\n> n":        Stands,
		"\x1b[2K\rReally? [y/N]\r\n> n":        Stands,
		"\x1b[2K\rSure? [y/N]\r\n> no, thanks": Left,
	} {
		before, now, output := shots("Sure? [y/N]\r\n> ", after)
		answer := TypedAnswer{Text: "n", Question: "Sure? [y/N]\n> ", Kind: Confirm, Output: output}
		if got := AfterAnswer(before, now, answer); got != want {
			t.Errorf("%q: %s, want %s", after, got, want)
		}
	}
}

// A default in front of the answer is part of it, wherever the question is drawn again.
func TestDrawnAgainWithDefault(t *testing.T) {
	for _, after := range []string{"\r\x1b[2KName: greenblue", "\r\x1b[2K\r\nName: greenblue", "\r\x1b[2KName: green\r\nName: greenblue"} {
		before, after, output := shots("Name: green", after)
		answer := TypedAnswer{Text: "blue", Question: "Name: green", Kind: Line, Output: output}
		if got := AfterAnswer(before, after, answer); got == Shows {
			t.Errorf("%q: %s", output, got)
		}
	}
}

// What stands in front of a field that was erased is not a default.
func TestAfterAnswerErased(t *testing.T) {
	question, after, _ := shots("Path: of data", "bob")
	for erased, want := range map[bool]Field{true: Shows, false: Stands} {
		if got := AfterAnswer(question, after, TypedAnswer{Text: "bob", Kind: Line, Erased: erased}); got != want {
			t.Errorf("erased %v: %s, want %s", erased, got, want)
		}
	}
}

func TestMentionsSecret(t *testing.T) {
	for text, want := range map[string]bool{"API key: main server: ": true, "Enter PIN for the card? ": true, "Database secret ": true, "Your name: ": false} {
		if got := MentionsSecret(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
