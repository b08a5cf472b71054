package escapetest

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"devtools/commands"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"devtools": func() { os.Exit(commands.Main(os.Args, os.Stdin, os.Stdout, os.Stderr)) },
	})
}
