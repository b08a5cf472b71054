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
	for _, name := range []string{"stopped.txt", "free.txt"} {
		for _, l := range table(f, name) {
			f.Add(l)
		}
	}
	root := workspace(f)
	p, err := Load("", "", true)
	if err != nil {
		f.Fatal(err)
	}
	judge := func(kind, text string) Verdict {
		return p.Judge(Call{Kind: kind, Line: text, Shell: "bash", Dir: root, Workspace: root, Env: agentEnv})
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

// Code in any language is free, or has to be confirmed, soon. A blank line before it changes nothing.
func FuzzCode(f *testing.F) {
	for _, language := range []string{"py", "js", "rb", "perl", "php", "awk", "lua", "tcl", "sql", "sed", "vim", "make", "crontab", "r"} {
		f.Add(language, "os.system('sudo x') `sudo` %x(a) qq{b} getattr(os, 'x')(1) run([\"a\", b, 'c'], shell=True) # x\n// y")
	}
	p, err := Load("", "", true)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("perl", "\"\x04")
	f.Fuzz(func(t *testing.T, language, text string) {
		if len(text) >= mostCodeBytes {
			return
		}
		judge := func(text string) Verdict {
			return p.Judge(Call{Kind: KindRun, Code: text, Lang: language, Dir: "/w", Workspace: "/w"})
		}
		start := time.Now()
		v := judge(text)
		if took := time.Since(start); took > time.Second {
			t.Errorf("%v for %d bytes", took, len(text))
		}
		if v.Action != Free && v.Action != Confirm {
			t.Errorf("%+v", v)
		}
		if after := judge("\n" + text); text != "" && after.Action != v.Action {
			t.Errorf("%q in %s is %v, behind a blank line %v", text, language, v.Action, after.Action)
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
