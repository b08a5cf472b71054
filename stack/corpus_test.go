package stack

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// figures are what came out of one half of the corpus.
type figures struct {
	short, shortCalledLong          int // commands that end; those of them that are said to keep running
	long, longFound, longNoFile     int // commands that keep running; those found; those that depend on a file
	unknown, high, wrong, wrongHigh int
}

// The scripts of real packages: what ends is hardly ever called a server, what keeps running is mostly found, and what is
// claimed with high confidence is right. The table was made with one half of the packages, the other half is blind.
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
	for i, f := range halves { // most that are missed call other scripts, which the corpus has no files of
		if 100*f.longFound < 90*(f.long-f.longNoFile) {
			t.Errorf("half %d: %d of %d commands that keep running are found", i, f.longFound, f.long-f.longNoFile)
		}
	}
}
