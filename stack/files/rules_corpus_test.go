package files

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "ask git again for the answers in testdata")

const corpusFile = "testdata/rules.txt"

// A pinned is a rule set with git's answers.
type pinned struct {
	ruleSet
	answers []answer
}

// Recorded answers of git still hold, also on a machine without git.
func TestRulesOfGit(t *testing.T) {
	if *update {
		writeCorpus(t)
	}
	all, sets := readCorpus(t)
	if len(all) < 150 || len(sets) < 300 {
		t.Fatalf("there are %d paths and %d rule sets only", len(all), len(sets))
	}
	base := t.TempDir()
	g := &lab{dir: filepath.Join(base, "tree"), home: filepath.Join(base, "home"), all: all}
	if err := os.MkdirAll(filepath.Join(g.dir, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(g.dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		g.plant(t, set.ruleSet)
		for i, got := range g.ours(t, false) {
			if want := set.answers[i]; got != want {
				t.Errorf("%s, fold %v: %q (folder %v): got %q, git says %q, of %q", set.group, set.fold, all[i].path, all[i].folder, got, want, set.files)
			}
		}
	}
}

// The letters for answers. No rule set has as many answers.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func writeCorpus(t *testing.T) {
	g := newLab(t, forest(forestNames, 10, 9))
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Rule sets and the answers of %s: go test ./stack/files -run TestRulesOfGit -update\n", bytes.TrimSpace(g.git(t, nil, "version")))
	for _, s := range g.all {
		fmt.Fprintf(&out, "path %v %q\n", s.folder, s.path)
	}
	rnd := rand.New(rand.NewPCG(3, 0))
	for i := range 30 * len(groups) {
		set := grow(rnd, groups[i%len(groups)])
		g.plant(t, set)
		fmt.Fprintf(&out, "set %v %q\n", set.fold, set.group)
		for _, name := range slices.Sorted(maps.Keys(set.files)) {
			fmt.Fprintf(&out, "file %q %q\n", name, set.files[name])
		}
		known, line := []answer{}, []byte{}
		for _, a := range g.gits(t, "--no-index") {
			if a == "" {
				line = append(line, '.')
				continue
			}
			at := slices.Index(known, a)
			if at < 0 {
				at, known = len(known), append(known, a)
				fmt.Fprintf(&out, "answer %q\n", a)
			}
			line = append(line, letters[at])
		}
		fmt.Fprintf(&out, "%s\n", line)
	}
	if err := os.WriteFile(corpusFile, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func readCorpus(t testing.TB) (all []specimen, sets []pinned) {
	t.Helper()
	f, err := os.Open(corpusFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var known []answer
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		var yes bool
		var one, two string
		var err error
		switch word {
		case "#":
		case "path":
			_, err = fmt.Sscanf(rest, "%t %q", &yes, &one)
			all = append(all, specimen{one, yes})
		case "set":
			_, err = fmt.Sscanf(rest, "%t %q", &yes, &one)
			sets, known = append(sets, pinned{ruleSet: ruleSet{group: one, fold: yes, files: map[string]string{}}}), nil
		case "file":
			_, err = fmt.Sscanf(rest, "%q %q", &one, &two)
			sets[len(sets)-1].files[one] = two
		case "answer":
			_, err = fmt.Sscanf(rest, "%q", &one)
			known = append(known, answer(one))
		default:
			if len(word) != len(all) {
				t.Fatalf("a line has answers to %d of %d paths", len(word), len(all))
			}
			for _, c := range []byte(word) {
				a := answer("")
				if at := strings.IndexByte(letters, c); at >= 0 {
					a = known[at]
				}
				sets[len(sets)-1].answers = append(sets[len(sets)-1].answers, a)
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
	}
	return all, sets
}
