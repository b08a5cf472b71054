package stack

import (
	"strings"
	"testing"
)

func TestDefinitions(t *testing.T) {
	all := Definitions()
	if len(all) < 120 {
		t.Errorf("%d definitions, at least 120 are promised", len(all))
	}
	ids := map[string]bool{}
	for _, d := range all {
		if ids[d.ID] {
			t.Errorf("%s is defined twice", d.ID)
		}
		ids[d.ID] = true
		if err := d.Check(); err != nil {
			t.Error(err)
		}
		if d.Name == "" || d.Kind == "" {
			t.Errorf("%s has no name or no kind", d.ID)
		}
		for _, text := range []string{d.Dev, d.Start, d.Build, d.Test, d.Lint} {
			for _, word := range strings.Fields(text) {
				if _, name, _, _ := placeholder(word); strings.ContainsAny(word, "{}") && name == "" {
					t.Errorf("%s: %q: there is no word %s", d.ID, text, word)
				}
			}
		}
	}
	for _, d := range all {
		for _, id := range d.Supersedes {
			if !ids[id] {
				t.Errorf("%s supersedes %s, which is not defined", d.ID, id)
			}
		}
	}
	t.Logf("%d definitions", len(all))
}

func TestOverride(t *testing.T) {
	known := []Definition{{ID: "vite", Name: "Vite", Kind: "bundler", Dev: "vite", Ports: []int{5173}}, {ID: "node", Kind: "language"}}
	for _, test := range []struct{ name, file, want string }{
		{"add", "[[stack]]\nid = 'ours'\nkind = 'framework'\nsupersedes = ['vite']\n", ""},
		{"change", "[[stack]]\nid = 'vite'\nports = [4000]\n", ""},
		{"syntax", "[[stack]]\nid = 'vite\n", "line 2"},
		{"unknown key", "[[stack]]\nid = 'vite'\nport = 1\n", "line 3: unknown key stack.port"},
		{"wrong type", "[[stack]]\nid = 'vite'\nports = 'x'\n", "line 3"},
		{"expression", "[[stack]]\nid = 'vite'\nready = ['(']\n", "stack vite: ready"},
		{"kind", "[[stack]]\nid = 'vite'\nkind = 'thing'\n", `stack vite: kind: "thing"`},
		{"no kind", "[[stack]]\nid = 'ours'\n", "stack ours: kind"},
		{"supersedes", "[[stack]]\nid = 'vite'\nsupersedes = ['gone']\n", `there is no stack "gone"`},
		{"port", "[[stack]]\nid = 'vite'\nports = [70000]\n", "stack vite: ports: 70000"},
		{"deep", "x = " + strings.Repeat("[", 100_000), "nested deeper"},
	} {
		t.Run(test.name, func(t *testing.T) {
			own, err := ParseDefinitions([]byte(test.file))
			var all []Definition
			if err == nil {
				all, err = Override(known, own)
			}
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Fatalf("error %v, it has to say %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if test.name == "change" && (all[0].Dev != "vite" || all[0].Ports[0] != 4000) {
				t.Errorf("%+v", all[0])
			}
			if test.name == "add" && (len(all) != 3 || all[2].Name != "ours") {
				t.Errorf("%+v", all)
			}
		})
	}
}

// A broken definition in a folder must not cost those of devtools.
func BenchmarkDefinitions(b *testing.B) {
	for b.Loop() {
		Definitions()
	}
}
