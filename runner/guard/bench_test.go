package guard

import (
	"os"
	"path/filepath"
	"testing"
)

func BenchmarkJudge(b *testing.B) {
	at := newScene(b)
	p, err := Load("", "", true)
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at.root, "build.sh"), []byte("set -e\ncd \"$(dirname \"$0\")\"\nmake -j4\nrm -rf out\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"word":   "make",
		"usual":  `cd sub && GOOS=linux go test ./... 2>&1 | grep -v "^ok" | head -20`,
		"find":   `find . -name node_modules -print0 | xargs -0 rm -rf`,
		"script": "sh build.sh",
		"git":    "git commit -m x && git push",
	} {
		call := Call{Kind: KindRun, Line: text, Shell: "bash", Dir: at.root, Workspace: at.root, Env: []string{"HOME=" + at.home}}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p.Judge(call)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	user, ws := policyFiles(b, Template(), aRule("x", "deny", `program = ["x"]`))
	for name, files := range map[string][2]string{"none": {user + ".none", ws + ".none"}, "two": {user, ws}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Load(files[0], files[1], false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("agent", func(b *testing.B) {
		for b.Loop() {
			if _, err := Load("", "", true); err != nil {
				b.Fatal(err)
			}
		}
	})
}
