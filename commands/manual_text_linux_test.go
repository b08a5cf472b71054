package commands

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"devtools/man"
	"devtools/runner/runnertest"
)

// manualText returns what mandoc makes of a page for a terminal, without bold and underlined characters.
func manualText(t *testing.T, file string) string {
	t.Helper()
	render := exec.Command(runnertest.Need(t, "mandoc"), "-T", "ascii", "-O", "width=78", file)
	text, err := render.Output()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	text = bytes.ReplaceAll(text, []byte("+\x08o"), []byte("*")) // a bullet
	return string(regexp.MustCompile(`.\x08`).ReplaceAll(text, nil))
}

// textOf returns what devtools help prints of a page.
func textOf(t *testing.T, file string) string {
	t.Helper()
	if file == agentsFile {
		return readDocument(t, file)
	}
	return manualText(t, file)
}

// An agent reads the skill when it needs it, or as part of AGENTS.md at the beginning of its work.
func TestSkillIsShort(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(readDocument(t, agentsFile), "\n"), "\n")
	if len(lines) > 150 {
		t.Errorf("it has %d lines, more than 150", len(lines))
	}
	for i, line := range lines {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("line %d has %d columns, more than 80", i+1, n)
		}
	}
}

// The manifests of the plugin for Claude Code lead to the skill, of which there is one copy. Without a version, the commit is the version.
func TestPluginManifests(t *testing.T) {
	folder := filepath.Join("..", ".claude-plugin")
	var plugin struct{ Name, Version, License, Skills string }
	var market struct {
		Name    string
		Plugins []struct{ Name, Version, Source string }
	}
	for file, into := range map[string]any{"plugin.json": &plugin, "marketplace.json": &market} {
		if err := json.Unmarshal([]byte(readDocument(t, filepath.Join(folder, file))), into); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if plugin.Name != "devtools" || plugin.License != "MIT" || plugin.Version != "" {
		t.Errorf("the plugin is %+v", plugin)
	}
	if len(market.Plugins) != 1 || market.Plugins[0].Name != plugin.Name || market.Plugins[0].Version != "" {
		t.Fatalf("the marketplace is %+v", market)
	}
	skills, err := filepath.Glob(filepath.Join("..", market.Plugins[0].Source, plugin.Skills, "*", "SKILL.md"))
	if err != nil || len(skills) != 1 || skills[0] != agentsFile {
		t.Errorf("the manifests lead to the skills %q, not to %s: %v", skills, agentsFile, err)
	}
	front, _, _ := strings.Cut(readDocument(t, agentsFile), "\n---\n")
	if !strings.HasPrefix(front, "---\nname: "+filepath.Base(filepath.Dir(agentsFile))+"\n") || !strings.HasSuffix(front, "\nlicense: MIT") || len(front) > 1024 {
		t.Errorf("the front matter of the skill is %q", front)
	}
}

// The pages in the program are those in the folder. -update writes them, and the next build has them. Other systems may
// have another version of mandoc.
func TestManualTextIsCurrent(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(manualFolder, "*.[157]"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	files = slices.DeleteFunc(files, func(file string) bool {
		return filepath.Base(file) == "devtools-json.5" // see topics
	})
	files = append(files, agentsFile)
	var all strings.Builder
	for _, file := range files {
		text, name := textOf(t, file), filepath.Base(file)
		all.WriteString("\f" + name + "\n" + text)
		if got, err := man.Page(name); (err != nil || got != text) && !*update {
			t.Errorf("devtools help does not print %s as it is: go test ./commands -run ManualText -update; %v", name, err)
		}
	}
	if *update {
		writePages(t, all.String())
	}
}

// writePages writes the compressed pages.
func writePages(t *testing.T, text string) {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(manualFolder, "pages.bin"), packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// devtools help prints a page for each command, for its aliases and for each topic. No line is wider than a terminal.
func TestHelpPages(t *testing.T) {
	root := fullRoot(t)
	var names []string
	for _, cmd := range visible(root) {
		names = append(append(names, cmd.Name), cmd.Aliases...)
	}
	for _, name := range append(names, topics()...) {
		file := pageFile(root, name)
		text, err := man.Page(file)
		title, number, _ := strings.Cut(strings.ToUpper(file), ".")
		title += "(" + number + ")"
		if file == agentsPage {
			title = "---\nname: devtools\n"
		}
		if err != nil || !strings.HasPrefix(text, title) {
			t.Errorf("devtools help %s: no page %s in the program; %v", name, file, err)
		}
	}
	for file := range manualPages(t) {
		text, err := man.Page(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%s has a line of %d columns: %s", file, n, line)
			}
		}
	}
}
