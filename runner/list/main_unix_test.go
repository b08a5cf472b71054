//go:build unix

package list_test

import (
	"testing"

	"devtools/runner/runnertest"
)

func TestMain(m *testing.M) { runnertest.PlayRole(m, nil) }
