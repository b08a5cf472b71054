//go:build unix

package doctor

import (
	"testing"

	"devtools/runner/runnertest"
)

func TestMain(m *testing.M) { runnertest.PlayRole(m, nil) }
