package guard

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A text that is made to take long is judged soon, and needs a confirmation if it was not read to its end.
func TestLarge(t *testing.T) {
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	fill := func(text string, bytes int) string { return strings.Repeat(text, bytes/len(text)) }
	functions := ""
	for i := range 300 {
		functions += fmt.Sprintf("f%d() { f%d; f%d; f%d; }; ", i, i+1, i+1, i+1)
	}
	variables := "x0=a; "
	for i := range 200 {
		variables += fmt.Sprintf("x%d=$x%d$x%d; ", i+1, i, i)
	}
	for name, text := range map[string]string{
		"long":         fill("a ", 1<<20),
		"words":        "echo " + fill("a ", 60<<10) + "; sudo x",
		"commands":     fill("a;", 60<<10),
		"substitution": fill("$(a ", 300) + fill(")", 75),
		"deep":         fill("$(", 2<<10) + fill(")", 1<<10),
		"evals":        fill("eval ", 30<<10) + "x",
		"shells":       fill("sh -c ", 30<<10) + "x",
		"wrappers":     fill("env ", 60<<10) + "x",
		"wrapped":      fill("nice env ", 60<<10) + "sudo x",
		"xargs":        "echo " + fill("a ", 30<<10) + "| xargs -n1 xargs",
		"functions":    functions + "f0",
		"variables":    variables + "$x200",
		"growing":      "x=a; while y; do x=$x$x; done; for i in 1 2 3 4 5 6 7 8; do for j in 1 2 3 4 5 6 7 8; do x=$x$x; done; done; $x",
		"braces":       fill("{a,b}", 60<<10),
		"braces words": fill("{a,b} ", 60<<10),
		"sequences":    fill("{1..9}", 60<<10),
		"loops":        fill("for i in a b c d e f g h; do ", 1<<10) + "x" + fill("; done", 200),
		"files":        "rm -rf " + fill("$UNKNOWN/*", 60<<10),
		"globs":        "rm -rf " + fill("*", 60<<10) + "; /bin/" + fill("?", 10<<10),
		"quotes":       fill("'\"'\"", 60<<10),
		"heredocs":     fill("cat <<A\nx\nA\n", 60<<10),
		"pipes":        "echo x" + fill("|cat", 60<<10),
		"printf":       "printf '" + fill("%s", 30<<10) + "' a | sh",
		"printfs":      "x=$(printf '%s%s%s%s' a a a a);" + fill("x=$(printf '%s%s%s%s' $x $x $x $x);", 30<<10),
		"finds":        "find " + fill("/a ", 20<<10) + fill("-exec rm {} + ", 20<<10),
		"assignments":  fill("a=1 ", 60<<10) + "x",
		"aliases":      "alias a='a a'\n" + fill("a\n", 30<<10),
		"case":         "case x in " + fill("x) a=$a$a;; ", 60<<10) + "esac; $a",
		"conditions":   variables + fill("a && b;", 30<<10) + fill("a || b;", 30<<10),
		"ifs":          fill("if a; then x=1$x; else x=2$x; fi;", 60<<10) + "$x",
		"dots":         "rm -rf " + fill("a/../", 60<<10),
		"replace":      "x=" + fill("a", 10<<10) + ";" + fill("x=${x//a/aa};", 20<<10),
		"options":      "export TAR_OPTIONS='" + fill("a ", 20<<10) + "'; " + fill("tar;", 20<<10),
		"arrays":       "declare -A m; " + fill("m[a$x]=b; x=1$x; ${m[a]};", 50<<10),
		"eval of make": "make --eval='" + fill("a=$(b) $(shell c) $a;", 40<<10) + "'",
		"presets":      "export PAGER='" + fill("a;", 10<<10) + "'; " + fill("b;", 20<<10),
		"trim":         "x=" + fill("ab", 10<<10) + ";" + fill("y=${x%%*b};", 40<<10),
	} {
		start := time.Now()
		v := p.Judge(Call{Kind: KindRun, Line: text, Shell: "bash", Dir: "/w", Workspace: "/w", Env: []string{"HOME=/home/me", "TMPDIR=/tmp"}})
		took := time.Since(start)
		t.Logf("%-14s %-8v %v %s", name, v.Action, took, v.Reason)
		if took > 20*time.Second {
			t.Errorf("%s takes %v", name, took)
		}
		if (name == "words" || name == "wrapped") && v.Action != Confirm { // they end with sudo
			t.Errorf("%s is %v", name, v.Action)
		}
	}
}
