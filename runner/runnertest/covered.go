package runnertest

import (
	"os"
	"testing"

	"devtools/runner/runnertest/leftover"
)

// Covered returns the tests, which then give the programs that they start a folder for their coverage data (GOCOVERDIR) under
// go test -cover. Without one, each says so on its standard error. Nobody reads the data.
func Covered(m leftover.Tests) leftover.Tests { return covered{m} }

type covered struct{ leftover.Tests }

func (c covered) Run() int {
	if testing.CoverMode() != "" && os.Getenv("GOCOVERDIR") == "" {
		folder, err := os.MkdirTemp("", "cover")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		_ = os.Setenv("GOCOVERDIR", folder) // the name is a valid one
	}
	return c.Tests.Run()
}
