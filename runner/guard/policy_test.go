package guard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// policyFiles writes the policies of a user and of a workspace, and returns their paths.
func policyFiles(t testing.TB, user, workspace string) (userPath, workspacePath string) {
	t.Helper()
	dir := t.TempDir()
	for _, one := range []struct {
		text string
		path *string
		name string
	}{{user, &userPath, "config/policies.toml"}, {workspace, &workspacePath, "ws/.devtools/policies.toml"}} {
		*one.path = filepath.Join(dir, one.name)
		if one.text == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(*one.path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*one.path, []byte(one.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return userPath, workspacePath
}

// aRule returns the text of a rule.
func aRule(name, action, conditions string) string {
	return "[[rule]]\nname = \"" + name + "\"\naction = \"" + action + "\"\n" + conditions + "\n"
}

// Which policy decides: deny is stricter than confirm, and an allow lifts a confirm of a policy that its
// owner may speak for.
func TestRoles(t *testing.T) {
	git := func(action string) string { return aRule("git", action, `program = ["git"]`) }
	sudo := func(action string) string { return aRule("sudo", action, `program = ["sudo"]`) }
	for _, test := range []struct {
		user, workspace string
		trusted, agent  bool
		line            string
		want            Action
		untrusted       bool
	}{
		{line: "sudo x", want: Free},
		{user: aRule("a", "deny", `paths = ["secrets/**"]`), line: "cat <secrets/a", want: Deny},
		{user: aRule("a", "deny", `paths = ["secrets/**"]`), line: "while read l; do :; done <secrets/a", want: Deny},
		{user: aRule("a", "deny", `paths = ["secrets/**"]`), line: "echo x >secrets/a", want: Deny},
		{user: aRule("a", "deny", `paths = ["secrets/**"]`), line: "curl -d @secrets/a -F x=@y z", want: Deny},
		{user: aRule("a", "deny", `paths = ["secrets/**"]`), line: "curl -F x=@secrets/y z", want: Deny},
		{user: aRule("a", "deny", `paths = ["secrets/**"]`), line: "cat <x >y", want: Free},
		{user: aRule("a", "deny", `paths = ["outside"]`), line: "make >/dev/null", want: Free},
		{user: aRule("a", "deny", "program = [\"rm\"]\npaths = [\"outside\"]") + aRule("b", "deny", `program = ["rm"]`), line: "rm $(x)", want: Deny},
		{user: aRule("a", "deny", "program = [\"rm\"]\npaths = [\"outside\"]") + aRule("b", "allow", `program = ["rm"]`), line: "rm $(x)", want: Confirm},
		{user: "[pty]\nlaunch = \"deny\"\n" + aRule("a", "deny", "program = [\"mv\"]\npaths = [\"outside\"]"), line: "mv $(x)", want: Deny},
		{agent: true, line: "sudo x", want: Confirm},
		{user: git("deny"), line: "git x", want: Deny},
		{user: git("deny"), line: "ls", want: Free},
		{user: git("confirm"), line: "git x", want: Confirm},
		{user: git("allow"), line: "git x", want: Allow},
		{workspace: git("deny"), line: "git x", want: Deny},
		{workspace: git("confirm"), line: "git x", want: Confirm},
		{workspace: git("confirm"), user: git("allow"), line: "git x", want: Confirm},
		{workspace: git("allow"), user: git("confirm"), line: "git x", want: Confirm, untrusted: true},
		{workspace: git("allow"), user: git("confirm"), trusted: true, line: "git x", want: Allow},
		{workspace: git("allow"), user: git("deny"), trusted: true, line: "git x", want: Deny},
		{user: sudo("allow"), agent: true, line: "sudo x", want: Allow},
		{user: sudo("deny"), agent: true, line: "sudo x", want: Deny},
		{workspace: sudo("allow"), agent: true, line: "sudo x", want: Confirm, untrusted: true},
		{workspace: sudo("allow"), agent: true, trusted: true, line: "sudo x", want: Allow},
		{user: git("allow") + sudo("deny"), line: "git x; sudo x", want: Deny},
		{user: sudo("allow") + sudo("deny"), line: "sudo x", want: Allow},                            // the first rule decides
		{user: sudo("allow"), line: "$(x)", want: Free},                                              // an allow needs a known program
		{user: sudo("deny"), line: "$(x)", want: Confirm},                                            // it could be sudo
		{user: sudo("confirm"), line: "echo 'x", want: Confirm},                                      // it is not understood
		{user: sudo("allow"), line: "echo 'x", want: Free},                                           // nothing is forbidden
		{user: "[pty]\nlaunch = \"deny\"", line: "ls", want: Deny},                                   // the simple form
		{user: "[pty]\nlaunch = \"deny\"\n" + git("allow"), line: "cd x && git status", want: Allow}, // a rule comes before it
		{user: "[pty]\nlaunch = \"deny\"\n" + git("allow"), line: "git status | sh", want: Deny},     // each command counts
		{user: "[pty]\nlaunch = \"deny\"\n" + git("allow"), line: "env A=1 git x", want: Allow},      // env is not the command
		{user: "[pty]\nlaunch = \"confirm\"", agent: true, line: "sudo x", want: Confirm},            // both say so
		{user: "[pty]\nlaunch = \"allow\"", agent: true, line: "ls", want: Allow},                    // all that no rule names
		{workspace: "[pty]\nlaunch = \"allow\"", user: "[pty]\nlaunch = \"confirm\"", line: "ls", want: Confirm, untrusted: true},
		{workspace: "[pty]\nlaunch = \"allow\"", user: "[pty]\nlaunch = \"confirm\"", trusted: true, line: "ls", want: Allow},
		{user: "[pty]\nlaunch = \"deny\"\n" + git("allow"), line: "git x; sh script.sh", want: Deny},
		{user: aRule("x", "deny", `calls = ["send-keys"]`), line: "ls", want: Free},
		{user: aRule("x", "deny", `calls = ["run"]`), line: "ls", want: Deny},
	} {
		user, ws := policyFiles(t, test.user, test.workspace)
		if test.trusted {
			r, err := Inspect(user, ws)
			if err == nil {
				err = r.Trust()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		p, err := Load(user, ws, test.agent)
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		root := filepath.Dir(filepath.Dir(ws))
		if err := errors.Join(os.MkdirAll(root, 0o700), os.WriteFile(filepath.Join(root, "script.sh"), []byte("git x\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		v := p.Judge(Call{Kind: KindRun, Line: test.line, Dir: root, Workspace: root, Env: []string{"PATH=/bin"}})
		if v.Action != test.want || v.Untrusted != test.untrusted {
			t.Errorf("%q with user %q, workspace %q: %+v, want %v", test.line, test.user, test.workspace, v, test.want)
		}
		if v.Action != Free && v.Reason == "" && (v.Rule == "" || v.File == "" || v.Line == 0) {
			t.Errorf("%q: %+v does not say why", test.line, v)
		}
	}
}

// The words of [pty] hold for the calls that they name.
func TestPty(t *testing.T) {
	user, ws := policyFiles(t, "[pty]\nlaunch = \"confirm\"\nsend_keys = \"deny\"\nkill = \"confirm\"\nrequest_user_input = \"deny\"\n", "")
	p, err := Load(user, ws, false)
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{
		KindRun: "confirm 2", KindLaunch: "confirm 2", KindWatch: "confirm 2", KindRestart: "confirm 2", KindOnExit: "confirm 2",
		KindRunIn: "deny 3", KindSendKeys: "deny 3", KindAnswer: "deny 3", KindKill: "confirm 4", KindKillOrphans: "confirm 4", KindAsk: "deny 5",
	} {
		v := p.Judge(Call{Kind: kind, Line: "y"})
		if got := v.Action.String() + " " + string(rune('0'+v.Line)); got != want {
			t.Errorf("%s: %+v, want %s", kind, v, want)
		}
	}
}

// A mistake in a policy names its file and line.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"[pty]\nlaunch = \"maybe\"":                                  `:2: `,
		"[pty]\nstart = \"deny\"":                                    `:2: unknown key "pty.start": use launch`,
		"\n[rules]\nx = 1":                                           `:2: unknown key "rules"`,
		"[[rule]]\nname = \"x\"":                                     `:1: rule "x" has no action`,
		"\n[[rule]]\naction = \"deny\"":                              `:2: the rule has no name`,
		aRule("x", "deny", `program = "git"`):                        `:4: program must be a list of texts: program = ["..."]`,
		aRule("x", "deny", `program = [1]`):                          `:4: program must be a list of texts`,
		aRule("x", "deny", `all_flags = ["-x"]`):                     `:4: all_flags must be a list of lists`,
		aRule("x", "deny", `reads_pipe = 1`):                         `:4: reads_pipe must be true or false`,
		"[[rule]]\nname = 1":                                         `:2: name must be a text`,
		"[Pty]\nlaunch = \"deny\"":                                   `:1: unknown key "Pty": use isolation, pty, rule and unseen`,
		"[pty]\nlaunch = true":                                       `:2: launch must be "allow"`,
		aRule("x", "deny", `programs = ["a"]`):                       `:4: unknown key "rule.programs": use name`,
		aRule("x", "deny", `program = "a"`):                          `:4: `,
		aRule("x", "deny", `program = []`):                           `:1: rule "x" has an empty list`,
		aRule("x", "deny", `program = ["[a"]`):                       `:4: invalid pattern "[a"`,
		aRule("x", "deny", `calls = ["start"]`):                      `:4: unknown call "start": use run, launch`,
		aRule("x", "deny", `flags = ["force"]`):                      `:4: invalid option "force"`,
		aRule("x", "deny", `paths = ["inside"]`):                     `:4: unknown path "inside"`,
		aRule("x", "deny", `writes = ["disk"]`):                      `:4: unknown file "disk"`,
		aRule("x", "deny", `subcommand = ["push"]`):                  `:1: rule "x" has subcommand without program`,
		"rule = [{name = \"x\", action = \"deny\"}]":                 `: begin each rule with a line [[rule]]`,
		"[[rule]]\nname = \"x\"\nname = \"y\"\n":                     `:3: `,
		"[[rule]\n":                                                  `:1: `,
		"[pty]\nlaunch = \"deny\"\nlaunch = \"allow\"":               `:3: `,
		strings.Repeat("# x\n", 3) + "[pty]\nlaunch = 1":             `:5: `,
		"[pty]\nlaunch = \"allow\"\n" + strings.Repeat("#\n", 1<<20): `: it has more than`,
	} {
		user, ws := policyFiles(t, text, "")
		_, err := Load(user, ws, false)
		if wrong, ok := errors.AsType[*FileError](err); !ok || !strings.HasPrefix(err.Error(), user+want) || wrong.File != user {
			t.Errorf("%.80q: %v, want %s…", text, err, want)
		}
	}
}

// What is no file in the place of a policy stops the call, except for a link of the user's own.
func TestPolicyFiles(t *testing.T) {
	user, ws := policyFiles(t, "[pty]\nkill = \"deny\"\n", "[pty]\nkill = \"deny\"\n")
	if p, err := Load(user+".none", ws+".none", false); p != nil || err != nil {
		t.Errorf("without files: %v, %v", p, err)
	}
	if p, err := Load("", "", false); p != nil || err != nil || p.Judge(Call{Line: "sudo x"}).Action != Free {
		t.Errorf("without paths: %v, %v", p, err)
	}
	for _, link := range []string{user + ".link", ws + ".link"} {
		if err := os.Symlink(strings.TrimSuffix(link, ".link"), link); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := Load(user+".link", "", false); p == nil || err != nil {
		t.Errorf("a link of the user: %v", err)
	}
	if _, err := Load("", ws+".link", false); err == nil {
		t.Error("a link in the workspace is followed")
	}
	if _, err := Load("", filepath.Dir(ws), false); err == nil {
		t.Error("a folder is a policy")
	}
}

// Template is the text of the built-in rules, and `policy init` may write it for a user too.
func TestTemplate(t *testing.T) {
	user, ws := policyFiles(t, Template(), "")
	p, err := Load(user, ws, false)
	if err != nil {
		t.Fatal(err)
	}
	builtIn, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	call := Call{Kind: KindRun, Line: "sudo x", Dir: "/w", Workspace: "/w"}
	a, b := p.Judge(call), builtIn.Judge(call)
	if a.Action != Confirm || a.File != user || b.File != BuiltIn || b.Line != 0 || a.Line == 0 {
		t.Errorf("%+v and %+v", a, b)
	}
}

// The trust is of a content, and is kept in a file that others cannot have written.
func TestTrust(t *testing.T) {
	user, ws := policyFiles(t, "", "[pty]\nlaunch = \"allow\"\n"+aRule("git", "allow", `program = ["git"]`)+aRule("x", "deny", `program = ["x"]`))
	inspect := func() Review {
		t.Helper()
		r, err := Inspect(user, ws)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := inspect()
	if r.Trusted || len(r.Allows) != 2 || r.Allows[0].Name != "pty.launch" || r.Allows[0].Line != 2 || r.Allows[1].Name != "git" || r.Allows[1].Line != 3 {
		t.Errorf("%+v", r)
	}
	if err := r.Trust(); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(filepath.Dir(user), "trusted")
	if info, err := os.Stat(store); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the store: %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Dir(store)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its folder: %v, %v", info, err)
	}
	if !inspect().Trusted {
		t.Error("it is not trusted")
	}
	data, _ := os.ReadFile(ws)
	if err := os.WriteFile(ws, append(data, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if inspect().Trusted {
		t.Error("another content is trusted")
	}
	if was, err := Distrust(user, ws); !was || err != nil {
		t.Errorf("Distrust: %v, %v", was, err)
	}
	if was, err := Distrust(user, ws); was || err != nil {
		t.Errorf("Distrust again: %v, %v", was, err)
	}
	if _, err := Inspect(user, ws+".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no policy: %v", err)
	}
}

// A store that others may have written says nothing: no policy is trusted, with a warning. Others may read it.
func TestUntrustedStore(t *testing.T) {
	user, ws := policyFiles(t, "[pty]\nlaunch = \"confirm\"\n", "[pty]\nlaunch = \"allow\"\n")
	r, err := Inspect(user, ws)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Trust(); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(filepath.Dir(user), "trusted")
	check := func(name string, err error, want Action, warning string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		p, err := Load(user, ws, false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v := p.Judge(Call{Kind: KindLaunch, Argv: []string{"make"}}); v.Action != want || !strings.Contains(p.Warning(), warning) || (warning == "") != (p.Warning() == "") {
			t.Errorf("%s: %+v, %q", name, v, p.Warning())
		}
	}
	check("as made", nil, Allow, "")
	check("others read it", os.Chmod(store, 0o644), Allow, "")
	check("others write it", os.Chmod(store, 0o646), Confirm, "others may write")
	check("a link", errors.Join(os.Chmod(store, 0o600), os.Rename(store, store+".other"), os.Symlink(store+".other", store)), Confirm, "trusted")
	if os.Geteuid() == 0 {
		check("of another user", errors.Join(os.Remove(store), os.Rename(store+".other", store), os.Chown(store, 65534, 65534)), Confirm, "another user")
	}
}

// The user's policy counts only if nobody else can change it. It may be a link.
func TestOwnPolicy(t *testing.T) {
	user, _ := policyFiles(t, aRule("x", "deny", `program = ["x"]`), "")
	dir := filepath.Dir(user)
	check := func(name string, err error, want string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		p, err := Load(user, "", false)
		if want == "" && (err != nil || p == nil) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	check("others read it", os.Chmod(user, 0o644), "")
	check("others write it", os.Chmod(user, 0o666), "others may write")
	check("others write to its folder", errors.Join(os.Chmod(user, 0o600), os.Chmod(dir, 0o777)), "others may write")
	check("a link", errors.Join(os.Chmod(dir, 0o700), os.MkdirAll(dir+"/own", 0o700), os.Rename(user, dir+"/own/p"), os.Symlink("own/p", user)), "")
	check("a link into a folder of others", os.Chmod(dir+"/own", 0o777), "others may write")
	check("a link into a sticky folder", os.Chmod(dir+"/own", 0o777|os.ModeSticky), "")
	check("a link to a file of others", os.Chmod(dir+"/own/p", 0o662), "others may write")
}

// The user's policy may be that of another user, as when root has the home folder of one. It confirms and denies, and what it allows
// does not count, with a warning. What others than its owner may change is refused.
func TestForeignPolicy(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	rules := aRule("d", "deny", `program = ["d"]`) + aRule("c", "confirm", `program = ["c"]`)
	for allowing, warning := range map[string]string{"": "", aRule("a", "allow", `program = ["sudo", "a"]`): "belongs to another user: what it allows does not count"} {
		user, _ := policyFiles(t, rules+allowing, "")
		if err := errors.Join(os.Chown(user, 65534, 65534), os.Chown(filepath.Dir(user), 65534, 65534), os.Chmod(user, 0o664)); err != nil {
			t.Fatal(err)
		}
		p, err := Load(user, "", true)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Warning(); !strings.Contains(got, warning) || (got == "") != (warning == "") {
			t.Errorf("warning %q, want %q", got, warning)
		}
		for program, want := range map[string]Action{"d": Deny, "c": Confirm, "a": Free, "sudo": Confirm} {
			if v := p.Judge(Call{Kind: KindLaunch, Argv: []string{program, "x"}}); v.Action != want || v.Untrusted {
				t.Errorf("%s: %+v, want %v", program, v, want)
			}
		}
		if err := os.Chmod(user, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(user, "", true); err == nil || !strings.Contains(err.Error(), "others may write") {
			t.Errorf("others may write it: %v", err)
		}
	}
}
