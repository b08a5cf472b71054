package files

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A specimen is a path to ask the rules about.
type specimen struct {
	path   string
	folder bool
}

// forest returns paths with difficult names, each folder before its files.
func forest(names []string, few, many int) (all []specimen) {
	all = append(all, specimen{"plain", true}, specimen{"plain/deep", true}, specimen{"plain/deep/er", true})
	folders := []string{"", "plain/", "plain/deep/", "plain/deep/er/"}
	for i, name := range names[:few] {
		folder := folders[i%3] + name
		all = append(all, specimen{folder, true})
		folders = append(folders, folder+"/")
		if i%2 == 0 {
			inner := folder + "/" + names[(i*7+3)%few]
			all = append(all, specimen{inner, true})
			folders = append(folders, inner+"/")
		}
	}
	taken := map[string]bool{}
	for _, s := range all {
		taken[s.path] = true
	}
	for i, folder := range folders {
		for j := range many {
			name := folder + names[(i*5+j*j+j)%len(names)]
			if !taken[name] {
				taken[name] = true
				all = append(all, specimen{name, false})
			}
		}
	}
	return all
}

var forestNames = []string{
	"a", "b", "ab", "foo", "c", "bar", "a b", "abc", "[a]", "é", "node_modules", "A", "!a", "#a", "dist", "x.log", // names of folders too
	"foo.txt", "bar.js", " lead", "trail ", "*", `a\b`, "Foo", "aa", "ba", "d", "x", ".env", "foo.", "ü", "1", "a-b", "a]", "^", "-", "\tt", "\n", "x.LOG",
}

// A ruleSet is ignore files by their paths from the top.
type ruleSet struct {
	group string
	files map[string]string
	fold  bool
}

// The names of a rule set's files that lie outside the tree.
const (
	excludeFile = ".git/info/exclude"
	globalFile  = "GLOBAL"
)

var groups = []string{
	"literal", "star", "question", "class", "doublestar", "anchored", "dir-only", "negation", "escape", "trailing space", "nested files", "weird", "mixed",
}

// grow makes a random rule set of a group.
func grow(rnd *rand.Rand, group string) ruleSet {
	set := ruleSet{group: group, files: map[string]string{}}
	lines := func(n int) string {
		var text strings.Builder
		for range n {
			one := group
			if group == "mixed" || group == "nested files" {
				one = groups[rnd.IntN(len(groups))]
			}
			text.WriteString(growPattern(rnd, one))
			text.WriteString([]string{"\n", "\n", "\n", "\n", "\r\n", "\n\n"}[rnd.IntN(6)])
		}
		return text.String()
	}
	set.files[".gitignore"] = lines(1 + rnd.IntN(6))
	if rnd.IntN(4) == 0 { // more than are tried one by one
		set.files[".gitignore"] = lines(fewRules + rnd.IntN(16))
	}
	if group == "nested files" || group == "mixed" && rnd.IntN(2) == 0 {
		for _, file := range []string{"plain/.gitignore", "plain/deep/.gitignore", "plain/deep/er/.gitignore", "a/.gitignore", excludeFile, globalFile} {
			if rnd.IntN(2) == 0 {
				set.files[file] = lines(1 + rnd.IntN(3))
			}
		}
	}
	if group == "weird" && rnd.IntN(8) == 0 {
		set.files[".gitignore"] = "\xef\xbb\xbf" + set.files[".gitignore"]
	}
	set.fold = rnd.IntN(5) == 0
	return set
}

func growPattern(rnd *rand.Rand, group string) string {
	pick := func(of ...string) string { return of[rnd.IntN(len(of))] }
	name := func() string {
		return pick("a", "b", "c", "ab", "abc", "foo", "bar", "foo.txt", "x.log", "A", "Foo", "é", "a b", "dist", "plain", "deep", "er", "node_modules", "bar.js", "d")
	}
	some := func() string { // a piece of a pattern that is not a name
		return pick("*", "*", "?", "**", "[ab]", "[!a]", "[a-c]", "*.txt", "*.log", "a*", "*b", "f?o", "f*", "***", name())
	}
	switch group {
	case "literal":
		return name()
	case "star":
		return pick(name()+"*", "*"+name(), "*", "*.*", "f*o", "*.txt", "a*b*", "*a*", "*o*.*t", name()+"*"+name())
	case "question":
		return pick("?", "??", "???", "f?o", "?oo", "a?", "?.log", "fo?.txt", "?"+name(), name()+"?")
	case "class":
		inside := pick("a", "ab", "a-c", "!a", "^a", "]a", "!]a", "a-", "-a", "a-c-e", "[:alpha:]", "[:digit:]x", "[:upper:]", "[:space:]", "[:nope:]", `\]`, `\-a`,
			"[:alpha:", "[:", "[", "/", "*", "?", "a/b", "z-a", "A-Z", "[:punct:]", "!-~", "\xc3", "\x80-\xff", "", "!", `\\`, "a-\\c", "[:cntrl:]", "[:xdigit:][:blank:]", "A", "F")
		return pick("", "", "a", "f", "*", "/", "a/") + "[" + inside + "]" + pick("", "", "b", "oo", "*", "?", "]", "/b")
	case "doublestar":
		return pick("**/"+name(), name()+"/**", name()+"/**/"+name(), "**/"+name()+"/**", name()+"**", "**"+name(), name()+"**/"+name(), "/**/"+name(), "**", "**/", "/**",
			"**/**", "***", "***/"+name(), name()+"/***", name()+"/**/**/"+name(), "**/*"+name(), "**/"+name()+"/"+name(), name()+"/**/*", `**\/`+name(), name()+`\/**`,
			"**/"+some(), some()+"/**/"+some(), some()+"**/"+some(), "plain/**/"+some(), "pl**/"+some(), "pl*/**/"+some()+"/**", "*/**", "**/*/"+name(), "plain**/**", "/plain/**/er/*")
	case "anchored":
		return pick("/"+name(), name()+"/"+name(), "/"+name()+"/"+name(), "/*", "/"+some(), name()+"/"+some(), "plain/"+name(), "plain/deep/"+some(), "/plain/*/"+name(),
			"plain/*", "*/"+name(), "*/*", "/*/"+some(), "//"+name(), name()+"//"+name(), "./"+name(), "plain/deep")
	case "dir-only":
		return pick(name()+"/", "/"+name()+"/", name()+"//", some()+"/", "*/", "/*/", "plain/*/", "**/"+name()+"/", "/", "//", name()+`\/`, "plain/deep/")
	case "negation":
		return pick("!", "", "") + pick(name(), "*", "/*", name()+"/", "*.txt", "plain", "plain/", "plain/*", "plain/deep", "plain/deep/", name()+"/"+name(), "!"+name(), "**/"+name(), "/plain/**")
	case "escape":
		n := name()
		at := rnd.IntN(len(n) + 1)
		return pick(n[:at]+`\`+n[at:], `\!a`, `\#a`, `!\!a`, `\[a\]`, `\*`, `a\\b`, `a\b`, `*\`, n+`\`, `\a\b`, `\A`, `F\oo`, `*\a*`, `a\ b`, `\**`, `[\]a]`, `\`, `\\`, `a/\b`, `plain\/deep`, `pl*n\/deep`)
	case "trailing space":
		return name() + pick(" ", "  ", `\ `, `\  `, " \\ ", "\t", " \t", "\t ", "/ ", ` \`, `  \ `, " \r", `\ \ `) + pick("", "", " ")
	case "nested files", "weird":
		const bytes = "ab*?[]!^-\\/ #.:\t\rAfo{}\xc3\xa9\x00"
		var text []byte
		for range 1 + rnd.IntN(9) {
			text = append(text, bytes[rnd.IntN(len(bytes))])
		}
		return string(text)
	}
	return pick(name(), some(), some()+"/"+some(), "!"+some(), "/"+some()+"/", some()+some(), "!"+some()+"/"+some(), "plain/"+some()+"/"+some())
}

// A lab is a tree with a repository, for comparison with git.
type lab struct {
	dir, home string
	all       []specimen
	written   []string
}

// newLab creates the files of the forest. Without git it skips the test, but fails it on CI.
func newLab(t testing.TB, all []specimen) *lab {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no git to compare with")
		}
		t.Skip("there is no git to compare with")
	}
	base := t.TempDir()
	g := &lab{dir: filepath.Join(base, "tree"), home: filepath.Join(base, "home"), all: all}
	for _, dir := range []string{g.dir, g.home} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range all {
		full := filepath.Join(g.dir, s.path)
		if s.folder {
			if err := os.MkdirAll(full, 0o777); err != nil {
				t.Skipf("this file system does not take %q: %v", s.path, err)
			}
		} else if err := os.WriteFile(full, nil, 0o666); err != nil {
			t.Skipf("this file system does not take %q: %v", s.path, err)
		}
	}
	g.git(t, nil, "init", "-q")
	return g
}

func (g *lab) environment() []string {
	return append(os.Environ(), "HOME="+g.home, "XDG_CONFIG_HOME="+g.home, "GIT_CONFIG_NOSYSTEM=1")
}

func (g *lab) git(t testing.TB, stdin []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = g.dir, g.environment()
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 && args[0] == "check-ignore" {
		err = nil // nothing is ignored
	}
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, fault.String())
	}
	return out.Bytes()
}

// plant replaces the files of the rule set by those of another.
func (g *lab) plant(t testing.TB, set ruleSet) {
	t.Helper()
	for _, file := range g.written {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	g.written = g.written[:0]
	for name, text := range set.files {
		file := filepath.Join(g.dir, filepath.FromSlash(name))
		if name == globalFile {
			file = filepath.Join(g.home, "git", "ignore")
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
		g.written = append(g.written, file)
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tignorecase = " + strconv.FormatBool(set.fold) + "\n"
	if err := os.WriteFile(filepath.Join(g.dir, ".git", "config"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
}

// An answer is the file and the line of the rule for a path, "" for none.
type answer string

// gits returns git's answer for each path.
func (g *lab) gits(t testing.TB, args ...string) []answer {
	t.Helper()
	var in bytes.Buffer
	for _, s := range g.all {
		in.WriteString(s.path + "\x00")
	}
	out := g.git(t, in.Bytes(), append([]string{"check-ignore", "-v", "-n", "-z", "--stdin"}, args...)...)
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields) != 4*len(g.all) {
		t.Fatalf("git told %d fields of %d paths", len(fields), len(g.all))
	}
	answers := make([]answer, len(g.all))
	for i := range answers {
		f := fields[4*i:]
		if f[3] != g.all[i].path {
			t.Fatalf("git told of %q, asked of %q", f[3], g.all[i].path)
		}
		if f[0] != "" {
			answers[i] = answerOf(g.home, f[0], f[1], f[2])
		}
	}
	return answers
}

func answerOf(home, file, line, pattern string) answer {
	if file == filepath.Join(home, "git", "ignore") {
		file = globalFile
	}
	return answer(fmt.Sprintf("%s:%s:%s", filepath.ToSlash(file), line, pattern))
}

// ours returns our answer for each path. With index, a tracked path has none.
func (g *lab) ours(t testing.TB, index bool) []answer {
	t.Helper()
	env := func(name string) (string, bool) {
		value := map[string]string{"XDG_CONFIG_HOME": g.home, "GIT_CONFIG_NOSYSTEM": "1"}[name]
		return value, value != ""
	}
	r := NewRules(g.dir, RuleOptions{Home: g.home, Env: env})
	answers := make([]answer, len(g.all))
	for i, s := range g.all {
		v := r.Explain(s.path, s.folder)
		if v.Rule != nil && !v.Tracked {
			answers[i] = answerOf(g.home, v.Rule.File, strconv.Itoa(v.Rule.Line), v.Rule.Pattern)
		}
		if index && !v.Ignored {
			answers[i] = "" // a tracked path has no answer, even if a rule includes it
		}
		if v.Rule != nil && !v.Tracked && v.Ignored == strings.HasPrefix(v.Rule.Pattern, "!") {
			t.Errorf("%q: %+v by %+v", s.path, v, v.Rule)
		}
	}
	if p := r.Problems(); len(p) > 0 {
		t.Fatal(p)
	}
	return answers
}

// compare asks both about a rule set, and returns the number of different answers.
func (g *lab) compare(t *testing.T, set ruleSet, index bool) (wrong int) {
	t.Helper()
	g.plant(t, set)
	var args []string
	if !index {
		args = []string{"--no-index"}
	}
	want, got := g.gits(t, args...), g.ours(t, index)
	for i, s := range g.all {
		if index && strings.ContainsAny(s.path, special) {
			continue // with an index, git takes the path for a pattern
		}
		if index && !ignores(want[i]) {
			want[i] = ""
		}
		if got[i] != want[i] {
			if wrong++; wrong <= 3 {
				t.Errorf("%s, fold %v, index %v: %q (folder %v): got %q, git says %q, of %q", set.group, set.fold, index, s.path, s.folder, got[i], want[i], set.files)
			}
		}
	}
	return wrong
}

func ignores(a answer) bool {
	parts := strings.SplitN(string(a), ":", 3)
	return len(parts) == 3 && !strings.HasPrefix(parts[2], "!")
}

// differ compares n rule sets. For every fourth, it also compares with an index that has a third of
// the files.
func differ(t *testing.T, n int, seed uint64) {
	g := newLab(t, forest(forestNames, 16, 22))
	var tracked []byte
	for i, s := range g.all {
		if !s.folder && i%3 == 0 {
			tracked = append(tracked, s.path+"\x00"...)
		}
	}
	index, aside := filepath.Join(g.dir, ".git", "index"), filepath.Join(g.dir, ".git", "aside")
	rename := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	g.git(t, tracked, "update-index", "--add", "-z", "--stdin")
	rename(index, aside)
	rnd := rand.New(rand.NewPCG(seed, 0))
	paths, lines, wrongSets, wrongPaths := 0, 0, 0, 0
	type count struct{ sets, answers, wrong int }
	byGroup := map[string]*count{}
	for _, group := range groups {
		byGroup[group] = &count{}
	}
	for i := range n {
		set := grow(rnd, groups[i%len(groups)])
		for _, text := range set.files {
			lines += strings.Count(text, "\n")
		}
		wrong, asked := g.compare(t, set, false), len(g.all)
		if i%4 == 0 {
			rename(aside, index)
			wrong += g.compare(t, set, true)
			rename(index, aside)
			asked += len(g.all)
		}
		paths += asked
		c := byGroup[set.group]
		c.sets, c.answers, c.wrong = c.sets+1, c.answers+asked, c.wrong+wrong
		if wrong > 0 {
			wrongSets++
			wrongPaths += wrong
		}
		if wrongSets > 20 {
			t.Fatal("enough of them differ")
		}
	}
	t.Logf("%d rule sets of %d groups with %d lines, %d answers: %d in %d sets differ from git's", n, len(groups), lines, paths, wrongPaths, wrongSets)
	for _, group := range groups {
		c := byGroup[group]
		t.Logf("%s: %d sets, %d answers, %d differ", group, c.sets, c.answers, c.wrong)
	}
}

func TestRulesLikeGit(t *testing.T) { differ(t, 13*12, 1) }

// None of the answers to 20,000 rule sets differs from git's.
func TestStressRulesLikeGit(t *testing.T) {
	if os.Getenv("DEVTOOLS_STRESS") != "1" {
		t.Skip("takes minutes: DEVTOOLS_STRESS=1 runs it")
	}
	differ(t, 20_000, 2)
}
