package guard

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"devtools/stack/line"
)

// Any text is judged in a short time. A shell that gets the text as its line is judged at least as
// strictly as the text itself.
func FuzzJudge(f *testing.F) {
	for _, name := range []string{"daily_ask.txt", "daily_free.txt"} {
		for _, l := range rows(f, name) {
			f.Add(strings.ReplaceAll(l, "⏎", "\n"))
		}
	}
	at := newScene(f)
	p, err := Load("", "", true)
	if err != nil {
		f.Fatal(err)
	}
	judge := func(kind, text string) Verdict {
		return p.Judge(Call{Kind: kind, Line: text, Shell: "bash", Dir: at.root, Workspace: at.root, Env: []string{"HOME=" + at.home}})
	}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		alone := judge(KindRun, text)
		judge(KindSendKeys, text)
		wrapped := judge(KindRun, "sh -c -- "+line.Quote([]string{text}))
		if wrapped.Action < alone.Action {
			t.Errorf("%q is %v alone and %v in a shell", text, alone.Action, wrapped.Action)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%v for %d bytes", took, len(text))
		}
	})
}

// A policy is read or refused with a message that names the file. What was read says the same with comments around it, and
// does not allow what it has no word for.
func FuzzPolicies(f *testing.F) {
	f.Add(template)
	f.Add("[pty]\nlaunch = \"deny\"\nsend_keys = \"allow\"\n")
	f.Add(aRule("x", "deny", "program = [\"a*\", \"/b/**\"]\nall_flags = [[\"-x\"]]\npaths = [\"~/x/**\", \"**/*.key\"]\nwrites = [\"device\"]\nreads_pipe = true"))
	f.Fuzz(func(t *testing.T, text string) {
		set, err := parsePolicy("F", []byte(text))
		if err != nil {
			if _, ok := err.(*FileError); !ok {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		commented, err := parsePolicy("F", []byte("# x\n\n"+strings.TrimPrefix(text, "\ufeff")+"\n# [[rule]]\n\n"))
		if err != nil {
			t.Fatalf("with comments: %v", err)
		}
		p, same := &Policy{sets: []ruleSet{set}}, &Policy{sets: []ruleSet{commented}}
		for _, l := range []string{"a -x /etc/b > /dev/sda", "$X y | sh", "ls"} {
			call := Call{Kind: KindRun, Line: l, Dir: "/w", Workspace: "/w"}
			v, other := p.Judge(call), same.Judge(call)
			if v.Action != other.Action || v.Rule != other.Rule || v.Command != other.Command {
				t.Errorf("%+v, with comments %+v", v, other)
			}
			if v.Action == Allow && !strings.ContainsAny(text, `\`) && !strings.Contains(text, "allow") {
				t.Errorf("%+v", v)
			}
		}
	})
}

// The lines of a store are those that have a content and name a file. What is written is read again.
func FuzzTrusted(f *testing.F) {
	f.Add("a b\n")
	f.Add(storeLine([]byte("[pty]\nlaunch = \"allow\"\x00\xff\n"), "/w/.devtools/policies.toml") + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range parseStore(text) {
			if !filepath.IsAbs(storedFile(l)) {
				t.Errorf("%q", l)
			}
		}
		if lines := parseStore(storeLine([]byte(text), "/x y")); len(lines) != 1 || storedFile(lines[0]) != "/x y" {
			t.Errorf("%q becomes %q", text, lines)
		}
	})
}
