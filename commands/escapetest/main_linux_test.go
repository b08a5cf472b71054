package escapetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"devtools/commands"
	"devtools/runner/runnertest/leftover"
)

func TestMain(m *testing.M) {
	if os.Getenv(escapeVariable) != "" && filepath.Base(os.Args[0]) != "devtools" {
		if os.Getenv("ESCAPE_AGAIN") != "" {
			os.Exit(tryAgain())
		}
		os.Exit(tryOut())
	}
	testscript.Main(leftover.Checked(m), map[string]func(){
		"devtools": func() { os.Exit(commands.Main(os.Args, os.Stdin, os.Stdout, os.Stderr)) },
	})
}
