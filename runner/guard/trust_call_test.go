package guard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// asked returns a question that is kept, as a person finds it.
func asked(t *testing.T, user, exact string) Question {
	t.Helper()
	id, allowed := AskLater(user, exact, "go on with\n"+exact)
	q, err := FindQuestion(user, id)
	if err != nil || allowed || q.Text != "go on with\n"+exact {
		t.Fatalf("%q, %v becomes %+v, %v", id, allowed, q, err)
	}
	return q
}

// What a person has allowed may be done once, for some time, and nothing else may.
func TestQuestion(t *testing.T) {
	user := filepath.Join(t.TempDir(), "devtools", FileName)
	q := asked(t, user, "call")
	check := func(name string, err error, want ...bool) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if _, got := AskLater(user, "call", ""); got != w {
				t.Errorf("%s, call %d: %v", name, i+1, got)
			}
		}
	}
	allowed := q.path + allowedEnd
	old := time.Now().Add(-AllowedTime)
	other := strings.Repeat("a", len(q.sum))
	check("once", q.Allow(), true, false)
	check("too late", errors.Join(q.Allow(), os.Chtimes(allowed, old, old)), false)
	check("in time", os.Chtimes(allowed, old, old.Add(time.Minute)), true, false)
	check("another call with this ID", os.WriteFile(allowed, []byte(other), 0o600), false)
	check("others may write it", errors.Join(q.Allow(), os.Chmod(allowed, 0o622)), false)
	check("as it was", os.Chmod(allowed, 0o600), true)
	if err := q.Allow(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(q.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it still waits: %v", err)
	}
	if _, got := AskLater(user, "another", ""); got {
		t.Error("another call is allowed")
	}
}

// Of two calls at once, one is done.
func TestQuestionAtOnce(t *testing.T) {
	user := filepath.Join(t.TempDir(), "devtools", FileName)
	for range 20 {
		if err := asked(t, user, "call").Allow(); err != nil {
			t.Fatal(err)
		}
		var passed atomic.Int32
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if _, allowed := AskLater(user, "call", "go on with\ncall"); allowed {
					passed.Add(1)
				}
			})
		}
		if all.Wait(); passed.Load() != 1 {
			t.Fatalf("%d calls passed", passed.Load())
		}
	}
}

// The oldest questions go. None is kept where others may write, nor without a folder, and there nothing is allowed.
func TestQuestionsKept(t *testing.T) {
	user := filepath.Join(t.TempDir(), "devtools", FileName)
	first := asked(t, user, "first")
	if err := os.Chtimes(first.path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	for i := range mostQuestions {
		asked(t, user, string(rune('a'+i)))
	}
	dir := filepath.Dir(first.path)
	if files, err := os.ReadDir(dir); err != nil || len(files) != mostQuestions {
		t.Errorf("%d questions, %v", len(files), err)
	}
	for _, id := range []string{filepath.Base(first.path), "../" + FileName} {
		if _, err := FindQuestion(user, id); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if err := errors.Join(asked(t, user, "a").Allow(), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	noHome := filepath.Join(t.TempDir(), "home", ".config", "devtools", FileName)
	for _, user := range []string{user, noHome, ""} {
		if id, allowed := AskLater(user, "a", ""); id != "" || allowed {
			t.Errorf("%q: %q, %v", user, id, allowed)
		}
	}
}
