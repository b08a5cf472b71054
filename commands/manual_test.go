package commands

import (
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/runnertest"
)

var manualFolder = filepath.Join("..", "man")

// A manualLine is a line of a page without its markup.
type manualLine struct {
	text    string
	section string // its heading; those of subsections do not count
	tag     bool   // it is the tag of a .TP paragraph
	example bool   // it is between .EX and .EE
}

// manualPages returns the lines of all pages, by the names of their files.
func manualPages(t *testing.T) map[string][]manualLine {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(manualFolder, "*.[157]"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages in %s: %v", manualFolder, err)
	}
	pages := map[string][]manualLine{}
	for _, file := range files {
		pages[filepath.Base(file)] = manualLines(t, readDocument(t, file))
	}
	return pages
}

func manualLines(t *testing.T, text string) (lines []manualLine) {
	t.Helper()
	title, tag, example := "", false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.ContainsFunc(line, func(r rune) bool { return r > unicode.MaxASCII }) {
			t.Errorf("not in ASCII, so devtools help prints something else: %s", line)
		}
		name, arguments, _ := strings.Cut(line, " ")
		switch {
		case name == ".TP" || name == ".TQ":
			tag = true
		case name == ".EX" || name == ".EE":
			example = name == ".EX"
		case name == ".SH":
			title = strings.Trim(unescape(t, arguments), `"`)
		case name == ".SS" || strings.HasPrefix(line, `.\"`):
		case strings.HasPrefix(line, "."):
			lines = append(lines, manualLine{unescape(t, macroText(name, arguments)), title, tag, example})
			tag = false
		default:
			lines = append(lines, manualLine{unescape(t, line), title, tag, example})
			tag = false
		}
	}
	return lines
}

var macroArgument = regexp.MustCompile(`"([^"]*)"|(\S+)`)

// macroText returns what a macro prints of its arguments. The macros with two fonts, such as .BR, put no blanks between
// them.
func macroText(name, arguments string) string {
	var words []string
	for _, match := range macroArgument.FindAllStringSubmatch(arguments, -1) {
		words = append(words, match[1]+match[2])
	}
	if slices.Contains([]string{".BR", ".RB", ".BI", ".IB", ".RI", ".IR"}, name) {
		return strings.Join(words, "")
	}
	return strings.Join(words, " ")
}

var escapeSequence = regexp.MustCompile(`\\(?:f(?:\[[^]]*\]|.)|\(..|\[[^]]*\]|.)`)

// escapes are the escape sequences that pages use. Those of fonts are not among them. All print characters of ASCII,
// because devtools help has the pages in ASCII.
var escapes = map[string]string{
	`\-`: "-", `\e`: `\`, `\&`: "", `\ `: " ", `\~`: " ", `\%`: "", `\|`: "",
	`\(aq`: "'", `\(dq`: `"`, `\(ga`: "`", `\(ha`: "^", `\(ti`: "~",
	`\(rs`: `\`, `\(lq`: `"`, `\(rq`: `"`,
	`\(bu`: "*", `\(em`: "-", `\(en`: "-", `\(->`: "->",
}

func unescape(t *testing.T, line string) string {
	t.Helper()
	return escapeSequence.ReplaceAllStringFunc(line, func(sequence string) string {
		text, ok := escapes[sequence]
		if !ok && sequence[1] != 'f' {
			t.Errorf("the escape sequence %s is none that the tests know: %s", sequence, line)
		}
		return text
	})
}

// sectionOf returns the text under a heading of a page.
func sectionOf(pages map[string][]manualLine, file, title string) string {
	var text strings.Builder
	for _, line := range pages[file] {
		if line.section == title {
			text.WriteString(line.text + "\n")
		}
	}
	return text.String()
}

var flagWord = regexp.MustCompile(`(?:^|[^\w-])(--[A-Za-z][\w-]*|-[A-Za-z]\b)`)

// flagsIn returns what looks like a flag in a text.
func flagsIn(text string) (flags []string) {
	for _, match := range flagWord.FindAllStringSubmatch(text, -1) {
		flags = append(flags, match[1])
	}
	return flags
}

// visibleFlags returns the names of the visible flags, as they are typed.
func visibleFlags(flags []cli.Flag) (names []string) {
	for _, flag := range flags {
		if f, ok := flag.(cli.VisibleFlag); !ok || f.IsVisible() {
			for _, name := range flag.Names() {
				names = append(names, dash(name))
			}
		}
	}
	return names
}

// The tags of OPTIONS in a page are the flags of its command, and no page names a long flag that no command has.
func TestManualFlags(t *testing.T) {
	pages, root := manualPages(t), fullRoot(t)
	global := visibleFlags(root.Flags)
	known := slices.Clone(global)
	check := func(file string, flags []string) {
		told := map[string]bool{}
		for _, line := range pages[file] {
			for _, flag := range flagsIn(line.text) {
				told[flag] = told[flag] || line.tag && line.section == "OPTIONS"
			}
		}
		for _, flag := range flags {
			if !told[flag] {
				t.Errorf("%s: no paragraph of OPTIONS has the tag %s", file, flag)
			}
		}
		for _, flag := range slices.Sorted(maps.Keys(told)) {
			if told[flag] && !slices.Contains(flags, flag) {
				t.Errorf("%s: OPTIONS has %s, which the command does not have", file, flag)
			}
		}
	}
	check("devtools.1", global)
	for _, cmd := range visible(root) {
		if cmd.Name == "help" { // its page is the overview
			continue
		}
		flags := slices.DeleteFunc(visibleFlags(cmd.Flags), func(name string) bool {
			return name == "-h" || name == "--help"
		})
		known = append(known, flags...)
		check(pageFile(root, cmd.Name), flags)
	}
	checkShortFlags(t, pages["devtools.1"], known, global)
	for file, lines := range pages {
		for _, line := range lines {
			for _, flag := range flagsIn(line.text) {
				if strings.HasPrefix(flag, "--") && !slices.Contains(known, flag) && line.section != "EXAMPLES" {
					t.Errorf("%s: %s has %s, which does not exist", file, line.section, flag)
				}
			}
		}
	}
}

// checkShortFlags compares the table of short flags in the overview with the short flags of all commands.
func checkShortFlags(t *testing.T, overview []manualLine, known, global []string) {
	t.Helper()
	table := map[string]bool{}
	for _, line := range overview {
		if line.section != "OPTIONS" || !line.example {
			continue
		}
		for _, flag := range flagsIn(line.text) {
			table[flag] = true
			if !slices.Contains(known, flag) {
				t.Errorf("devtools.1: the table of short options has %s, which does not exist", flag)
			}
		}
	}
	for _, flag := range known {
		if len(flag) == 2 && !table[flag] && !slices.Contains(global, flag) {
			t.Errorf("devtools.1: the table of short options does not have %s", flag)
		}
	}
}

// Each command has a page, and each page of section 1 has a command. A page names the aliases and subcommands.
func TestManualCommands(t *testing.T) {
	pages, root := manualPages(t), fullRoot(t)
	left := maps.Clone(pages)
	maps.DeleteFunc(left, func(file string, _ []manualLine) bool { return !strings.HasSuffix(file, ".1") })
	overview := sectionOf(pages, "devtools.1", "COMMANDS")
	for _, cmd := range visible(root) {
		file := pageFile(root, cmd.Name)
		delete(left, file)
		if pages[file] == nil {
			t.Errorf("%s has no page man/%s", cmd.Name, file)
			continue
		}
		if !regexp.MustCompile(`(?m)^` + cmd.Name + ` `).MatchString(overview) {
			t.Errorf("COMMANDS in devtools.1 does not have %s", cmd.Name)
		}
		names := slices.Clone(cmd.Aliases)
		for _, sub := range cmd.VisibleCommands() {
			names = append(names, sub.Name)
		}
		for _, name := range names {
			if !slices.ContainsFunc(pages[file], func(l manualLine) bool {
				return regexp.MustCompile(`\b` + name + `\b`).MatchString(l.text)
			}) {
				t.Errorf("%s does not name %s", file, name)
			}
		}
	}
	for file := range left {
		t.Errorf("%s is about no command", file)
	}
}

// The variable that a flag reads is under ENVIRONMENT of the page that has the flag. The page of run has those that
// --profile sets.
func TestManualVariables(t *testing.T) {
	pages, root := manualPages(t), fullRoot(t)
	check := func(file string, flags []cli.Flag) {
		for _, flag := range flags {
			documented, ok := flag.(cli.DocGenerationFlag)
			if !ok {
				continue
			}
			for _, variable := range documented.GetEnvVars() {
				if !strings.Contains(sectionOf(pages, file, "ENVIRONMENT"), variable) {
					t.Errorf("%s: ENVIRONMENT does not name %s", file, variable)
				}
			}
		}
	}
	check("devtools.1", root.Flags)
	for _, cmd := range visible(root) {
		check(pageFile(root, cmd.Name), cmd.Flags)
	}
	options := sectionOf(pages, "devtools-run.1", "OPTIONS")
	for _, setting := range slices.Concat(noPagers, agentProfile) {
		if name, _, _ := strings.Cut(setting, "="); !strings.Contains(options, name) {
			t.Errorf("devtools-run.1: OPTIONS does not have %s", name)
		}
	}
}

var pageName = regexp.MustCompile(`\b(devtools(?:-[a-z]+)*) ?\(([0-9])\)`)

// Each page has the sections that readers look for. The pages that it names exist; the overview names all of them.
func TestManualReferences(t *testing.T) {
	for file, most := range map[string]int{"devtools.1": 200, "devtools-security.7": 220} { // lines of a page that is read as a whole
		if n := strings.Count(readDocument(t, filepath.Join(manualFolder, file)), "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d: it is an overview", file, n, most)
		}
	}
	pages := manualPages(t)
	all := sectionOf(pages, "devtools.1", "SEE ALSO")
	for file, lines := range pages {
		for _, title := range []string{"NAME", "DESCRIPTION", "EXAMPLES", "SEE ALSO"} {
			if sectionOf(pages, file, title) == "" {
				t.Errorf("%s has no section %s", file, title)
			}
		}
		for _, line := range lines {
			for _, match := range pageName.FindAllStringSubmatch(line.text, -1) {
				if pages[match[1]+"."+match[2]] == nil {
					t.Errorf("%s: %s names %s(%s), which is no page", file, line.section, match[1], match[2])
				}
			}
		}
		name, number, _ := strings.Cut(file, ".")
		checkPhrases(t, file, name, sectionOf(pages, file, "OPTIONS"))
		if reference := name + "(" + number + ")"; file != "devtools.1" && !strings.Contains(all, reference) {
			t.Errorf("SEE ALSO in devtools.1 does not have %s", reference)
		}
	}
}

// checkPhrases holds what all pages say in the same words, in the same place.
func checkPhrases(t *testing.T, file, name, options string) {
	t.Helper()
	heading := ".SH NAME\n" + hyphens(name) + ` \- `
	if !strings.Contains(readDocument(t, filepath.Join(manualFolder, file)), heading) {
		t.Errorf("%s: NAME does not begin with %s", file, heading)
	}
	const common = "The options of all commands, such as\n--json,\nare in\ndevtools(1).\n"
	if options != "" && file != "devtools.1" && !strings.HasPrefix(options, common) {
		t.Errorf("%s: OPTIONS does not begin with %s", file, common)
	}
}

// devtools-files(5) has each member of the files that others may read.
func TestManualFiles(t *testing.T) {
	pages := manualPages(t)
	for title, record := range map[string]any{
		"THE RECORD OF A SESSION": ledger.Session{},
		"THE EVENT LOG":           ledger.Event{},
		"THE LIST OF CAPTURES":    ledger.Capture{},
	} {
		text := sectionOf(pages, "devtools-files.5", title)
		for field := range reflect.TypeOf(record).Fields() {
			member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !regexp.MustCompile(`(?m)^(?:\w+, )*` + member + `\b`).MatchString(text) {
				t.Errorf("devtools-files.5: %s does not have %s", title, member)
			}
		}
	}
}

func TestManualMarkup(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(manualFolder, "*.[157]"))
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range [][]string{
		{"groff", "-man", "-ww", "-z"},
		{"mandoc", "-Tlint", "-Wwarning"},
	} {
		t.Run(check[0], func(t *testing.T) {
			program := runnertest.Need(t, check[0])
			for _, file := range files { // groff takes several files for one document
				lint := exec.Command(program, append(check[1:], file)...)
				if complaint, err := lint.CombinedOutput(); err != nil || len(complaint) > 0 {
					t.Errorf("%s %s: %v\n%s", strings.Join(check, " "), file, err, complaint)
				}
			}
		})
	}
}
