//go:build unix

package pty_test

import (
	"os"
	"testing"

	"devtools/runner/runnertest/leftover"
)

func TestMain(m *testing.M) { os.Exit(leftover.Checked(m).Run()) }
