package declared

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func names(list []Session) (all []string) {
	for _, s := range list {
		all = append(all, s.Name)
	}
	return all
}

func TestRead(t *testing.T) {
	list, err := Read([]byte(`
[web]
command = ["npm", "run", "dev"]
folder = "web"
env = { PORT = "3000", A = "b=c" }
after = ["db", "cache"]
ready = ["port:3000", "text:ready"]
restart = "on-failure"

[db]
command = "./start-db --fast"
folder = "/srv"
ready = "port:5432"

[cache]
command = "cache"
restart = "no"

[aaa]
command = "true"
after = "web"
`), "sessions.toml", "/work", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(list); !slices.Equal(got, []string{"db", "cache", "web", "aaa"}) {
		t.Fatalf("order: %v", got)
	}
	db, web := list[0], list[2]
	if db.Line != "./start-db --fast" || db.Argv != nil || db.Folder != "/srv" || len(db.Ready) != 1 || db.Restart {
		t.Errorf("db: %+v", db)
	}
	if web.Line != "" || !slices.Equal(web.Command(), []string{"npm", "run", "dev"}) || web.Folder != "/work/web" ||
		!slices.Equal(web.Env, []string{"A=b=c", "PORT=3000"}) || len(web.Ready) != 2 || web.Ready[1].String() != "text:ready" ||
		!web.Restart {
		t.Errorf("web: %+v", web)
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[a]\nfoo = 1\ncommand = 'x'", "[a]: foo: unknown key: use command, folder, env, ready, after or restart"},
		{"[a]\nCommand = 'x'", "[a]: Command: unknown key"},
		{"[a]\ncommand = 'x'\nfolder = 3", "[a]: folder: invalid value 3: use a string"},
		{"[a]\ncommand = 'x'\nafter = 3", "[a]: after: invalid value 3"},
		{"[a.b]\ncommand = 'x'", "[a]: b: unknown key"},
		{"[a]\ncommand = 'x'\n[a]\ncommand = 'y'", "line 3: "},
		{"[a", "line 1: "},
		{"a = 1", "a stands outside a session: begin one with [NAME]"},
		{"[a]", "[a]: command is missing"},
		{"[a]\ncommand = ''", "[a]: command is missing"},
		{"[a]\ncommand = []", "[a]: command is missing"},
		{"[a]\ncommand = 7", "[a]: command: invalid value 7"},
		{"[a]\ncommand = ['x', 7]", "[a]: command: invalid value 7"},
		{"[a]\ncommand = \"x\\u0000\"", "[a]: command: invalid value"},
		{"['a b']\ncommand = 'x'", "[a b]: invalid name: use up to 64 letters"},
		{"[7]\ncommand = 'x'", "[7]: invalid name"},
		{"[a]\ncommand = 'x'\nenv = { 'A=B' = 'c' }", `[a]: env: "A=B"`},
		{"[a]\ncommand = 'x'\nenv = { A = 1 }", "[a]: env: A: invalid value 1: use a string"},
		{"[a]\ncommand = 'x'\nenv = ['A=1']", `[a]: env: invalid value [A=1]: use { NAME = "VALUE" }`},
		{"[a]\ncommand = 'x'\nready = 'port:web'", "[a]: ready: "},
		{"[a]\ncommand = 'x'\nready = 3", "[a]: ready: invalid value 3"},
		{"[a]\ncommand = 'x'\nrestart = 'always'", `[a]: restart: invalid value "always": use "no" or "on-failure"`},
		{"[a]\ncommand = 'x'\nafter = ['b']", `[a]: after: no session "b" is declared`},
		{"[a]\ncommand = 'x'\nafter = ['a']", "[a]: after: it would start after itself: a, after a"},
		{"[a]\ncommand = 'x'\nafter = ['b']\n[b]\ncommand = 'x'\nafter = ['c']\n[c]\ncommand = 'x'\nafter = ['b']", "[b]: after: it would start after itself: b, after c, after b"},
	} {
		if _, err := Read([]byte(c.text), "/w/sessions.toml", "/w", nil); err == nil || !strings.HasPrefix(err.Error(), "/w/sessions.toml: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := Read(nil, "/w/sessions.toml", "/w", errors.New("unreadable")); err == nil || err.Error() != "/w/sessions.toml: unreadable" {
		t.Errorf("an unreadable file: %v", err)
	}
	if list, err := Read([]byte("\xef\xbb\xbf[a]\ncommand = 'x'"), "/w/sessions.toml", "/w", nil); err != nil || len(list) != 1 {
		t.Errorf("a byte order mark: %v, %v", list, err)
	}
	if list, err := Read(nil, "/w/sessions.toml", "/w", nil); err != nil || len(list) != 0 {
		t.Errorf("no file: %v, %v", list, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("[a]\ncommand = 'x'\nafter = ['b']\n[b]\ncommand = ['y']\nready = ['exit']")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Read([]byte(text), "sessions.toml", "/w", nil)
		if err != nil {
			return
		}
		for i, s := range list {
			for _, name := range s.After {
				if !slices.Contains(names(list[:i]), name) {
					t.Errorf("%s comes before %s", s.Name, name)
				}
			}
		}
	})
}
