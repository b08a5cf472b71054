package watch

import (
	"testing"
	"time"

	"devtools/ledger"
)

// Whether what changes while a session runs is taken for what it writes.
func TestWrites(t *testing.T) {
	ended := ledger.Time{Time: time.Now()}
	label := func(key string) map[string]string { return map[string]string{key: "web-0123456789"} }
	for name, test := range map[string]struct {
		session ledger.Session
		ending  Ending
		want    bool
	}{
		"a build that goes on":                   {ledger.Session{Labels: label(labelBuild)}, EndsMaybe, true},
		"a build that watches":                   {ledger.Session{Labels: label(labelBuild), EndedAt: ended}, EndsNot, true},
		"the program of a watch":                 {ledger.Session{Labels: label(labelWatch), EndedAt: ended}, EndsByItself, false},
		"run, a build":                           {ledger.Session{Awaited: true}, EndsByItself, true},
		"run, nobody knows what":                 {ledger.Session{Awaited: true, EndedAt: ended}, EndsMaybe, true},
		"run, a server":                          {ledger.Session{Awaited: true, EndedAt: ended}, EndsNot, false},
		"launched, a build that goes on":         {ledger.Session{}, EndsByItself, false},
		"launched, a build that has ended":       {ledger.Session{EndedAt: ended}, EndsByItself, true},
		"launched, nobody knows what":            {ledger.Session{EndedAt: ended}, EndsMaybe, false},
		"launched, a server":                     {ledger.Session{EndedAt: ended}, EndsNot, false},
		"launched, a build with another's label": {ledger.Session{EndedAt: ended, Labels: label("team")}, EndsByItself, true},
	} {
		q := Question{Ends: func(ledger.Session) Ending { return test.ending }}
		if got := q.writes(test.session); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// A session runs until its end is known; one whose holder was killed is no excuse for what changes from then on.
func TestSpells(t *testing.T) {
	dir, err := ledger.Create(t.TempDir() + "/" + ledger.FolderName)
	if err != nil {
		t.Fatal(err)
	}
	start := ledger.Time{Time: time.Now().Add(-time.Hour)}
	exit := ledger.Time{Time: start.Add(time.Minute)}
	id, err := dir.NewSession()
	if err == nil {
		err = dir.Claim(id)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		session ledger.Session
		want    time.Time // zero: it is none
		lives   bool
	}{
		"closed":             {ledger.Session{StartedAt: start, EndedAt: exit, Closed: true, ExitedAfterMs: 60_000, DrainedAfterMs: 61_000}, start.Add(61 * time.Second), false},
		"ended, with a rest": {ledger.Session{ID: id, StartedAt: start, EndedAt: exit}, exit.Time, true},
		"running":            {ledger.Session{ID: id, StartedAt: start}, time.Now().Add(time.Hour), true},
		"of no holder":       {ledger.Session{ID: "0000000000", StartedAt: start}, time.Time{}, false},
	} {
		all := spellsOf(dir, []ledger.Session{test.session})
		if len(all) == 0 {
			if !test.want.IsZero() {
				t.Errorf("%s: no time", name)
			}
			continue
		}
		end := time.Unix(0, all[0].to).Add(-clockSlack)
		if name == "running" {
			if end.Before(time.Now().Add(-time.Minute)) {
				t.Errorf("%s: it ends %v", name, end)
			}
		} else if !end.Equal(test.want) {
			t.Errorf("%s: it ends %v, want %v", name, end, test.want)
		}
		if all[0].lives != test.lives {
			t.Errorf("%s: lives %v", name, all[0].lives)
		}
	}
}
