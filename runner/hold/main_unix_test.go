//go:build unix

package hold_test

import (
	"testing"

	"devtools/runner/runnertest"
)

func TestMain(m *testing.M) { runnertest.PlayRole(m, nil) }
