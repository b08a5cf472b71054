package stack

import (
	"encoding/json"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// figures are the results of one half of the corpus.
type figures struct {
	short, shortCalledLong          int // commands that end, and how many of them are said to keep running
	long, longFound, longNoFile     int // commands that keep running; those that were found; those that depend on a file
	unknown, high, wrong, wrongHigh int
}

// These are the scripts of real packages. A command that ends is hardly ever called a server. Most
// commands that keep running are found, and verdicts with high confidence are right. The table was
// made with one half of the packages; the other half is blind.
func TestCorpus(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "scripts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	halves := [2]figures{}
	for l := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSuffix(l, "\n"), "\t")
		if strings.HasPrefix(l, "#") {
			continue
		}
		if len(columns) != 4 {
			t.Fatalf("%q has %d columns", l, len(columns))
		}
		command, expected := columns[2], columns[3]
		hash := fnv.New32a()
		hash.Write([]byte(columns[0]))
		half := &halves[hash.Sum32()%2]
		v := Classify(command, "")
		goesOn := v.Class.Long() || v.Class == Interactive
		wrong := goesOn && expected == "short" || !goesOn && v.Class != Unknown && expected == "long"
		switch expected {
		case "short":
			if half.short++; v.Class.Long() {
				half.shortCalledLong++
			}
		case "long":
			switch half.long++; {
			case goesOn:
				half.longFound++
			case v.Class == Unknown && strings.Contains(v.Reason, "cannot be read"):
				half.longNoFile++
			default:
				t.Logf("not found: %s (%s)", command, v.Class)
			}
		}
		if v.Class == Unknown {
			half.unknown++
		}
		if v.Confidence == High {
			half.high++
		}
		if wrong {
			half.wrong++
		}
		if wrong && v.Confidence == High {
			half.wrongHigh++
			t.Errorf("%s (%s) is %s with high confidence: %s", command, expected, v.Class, v.Reason)
		}
	}
	for i, name := range []string{"made with", "blind"} {
		f := halves[i]
		t.Logf("%s: %+v", name, f)
		if f.short < 500 || f.long < 50 {
			t.Errorf("%s: the corpus is too small", name)
		}
		if 100*f.shortCalledLong > f.short {
			t.Errorf("%s: %d of %d commands that end are said to keep running", name, f.shortCalledLong, f.short)
		}
	}
	for i, f := range halves { // most missed commands call other scripts, whose files the corpus lacks
		if 100*f.longFound < 90*(f.long-f.longNoFile) {
			t.Errorf("half %d: %d of %d commands that keep running are found", i, f.longFound, f.long-f.longNoFile)
		}
	}
}

// table reads the rows of a file in testdata.
func table(t *testing.T, name string, columns int) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		if strings.HasPrefix(l, "#") {
			continue
		}
		row := strings.Split(strings.TrimSuffix(l, "\n"), "\t")
		if len(row) != columns {
			t.Fatalf("%s: %q has %d columns", name, l, len(row))
		}
		rows = append(rows, row)
	}
	return rows
}

// keepsOn reports whether a verdict says that a command does not end by itself.
func keepsOn(v Verdict) bool { return v.Class.Long() || v.Class == Interactive }

// wrongly reports whether a verdict is wrong. An unknown class is not wrong.
func wrongly(v Verdict, does string) bool {
	return keepsOn(v) && does == "short" || !keepsOn(v) && v.Class != Unknown && does == "long"
}

// These are the scripts of applications, each with the others of its package.json. Of the scripts
// that build, test or lint by their names, hardly one is said to keep running. Of the scripts for
// development and start, most are found.
func TestApplications(t *testing.T) {
	scripts := map[string]map[string]string{}
	rows := table(t, "apps.tsv", 4)
	for _, row := range rows {
		if scripts[row[0]] == nil {
			scripts[row[0]] = map[string]string{}
		}
		scripts[row[0]][row[1]] = row[2]
	}
	folders := map[string]string{}
	for app, list := range scripts {
		text, err := json.Marshal(map[string]any{"scripts": list})
		if err != nil {
			t.Fatal(err)
		}
		folders[app] = layOut(t, map[string]string{"package.json": string(text)}, []string{"package.json"})
	}
	ends, calledLong, goesOn, found := 0, 0, 0, 0
	for _, row := range rows {
		v := Classify("npm run "+row[1], folders[row[0]])
		switch kind := kindByName(row[1]); {
		case row[3] == "short" && (kind == "build" || kind == "test" || kind == "lint"):
			if ends++; keepsOn(v) {
				calledLong++
			}
		case row[3] == "long" && (kind == "dev" || kind == "start"):
			if goesOn++; keepsOn(v) {
				found++
			}
		}
		if v.Confidence == High && wrongly(v, row[3]) {
			t.Errorf("%s (%s) is %s with high confidence: %s", row[2], row[3], v.Class, v.Reason)
		}
	}
	t.Logf("%d of %d that build, test and lint are said to keep running; %d of %d to develop and start with are found", calledLong, ends, found, goesOn)
	if ends < 150 || goesOn < 80 || 100*calledLong > ends || 100*found < 95*goesOn {
		t.Errorf("of %d that end %d are said to keep running, of %d that keep running %d are found", ends, calledLong, goesOn, found)
	}
}

// These are command lines of all kinds. Hardly any verdict is wrong, and none with high confidence.
func TestCommandLines(t *testing.T) {
	rows := table(t, "commands.tsv", 3)
	wrong, open := 0, 0
	for _, row := range rows {
		v := Classify(strings.ReplaceAll(row[1], `\n`, "\n"), "")
		if v.Class == Unknown && row[2] != "either" {
			open++
		}
		if wrongly(v, row[2]) {
			wrong++
			t.Logf("%s (%s) is %s: %s", row[1], row[2], v.Class, v.Reason)
			if v.Confidence == High {
				t.Errorf("%s (%s) is %s with high confidence", row[1], row[2], v.Class)
			}
		}
	}
	if 100*wrong > len(rows) || 100*open > 5*len(rows) || len(rows) < 150 {
		t.Errorf("of %d command lines %d are wrong and %d are not known", len(rows), wrong, open)
	}
}
