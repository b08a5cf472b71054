//go:build unix

package census_test

import (
	"testing"

	"devtools/runner/runnertest"
)

func TestMain(m *testing.M) { runnertest.PlayRole(m, nil) }
