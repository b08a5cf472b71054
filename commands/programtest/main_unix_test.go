//go:build unix

package programtest

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"devtools/commands"
	"devtools/runner/runnertest"
	"devtools/runner/runnertest/leftover"
)

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "4") // most of the tests wait for programs; -parallel on the command line counts more
	testscript.Main(runnertest.Covered(leftover.Checked(m)), map[string]func(){
		"devtools": func() { os.Exit(commands.Main(os.Args, os.Stdin, os.Stdout, os.Stderr)) },
		"babble":   babbleMain,
	})
}
