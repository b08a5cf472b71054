//go:build unix

package runner

import "testing"

func TestMain(m *testing.M) {
	playRole(m, map[string]func() error{"starter": runAsStarter, "pruner": runAsPruner, "listener": runAsListener})
}
