//go:build unix

package attach

import (
	"testing"

	"devtools/runner/runnertest"
)

func TestMain(m *testing.M) {
	runnertest.PlayRole(m, map[string]func() error{"attacher": runAsAttacher})
}
