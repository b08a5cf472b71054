//go:build unix

package runner_test

import (
	"context"
	"strconv"
	"testing"

	"devtools/runner/list"
	"devtools/runner/runnertest"
)

// startMany starts sessions of a shell with six children each.
func startMany(b *testing.B, path string, sessions int) {
	b.Helper()
	for i := range sessions {
		spec := runnertest.Shell(b, path, "for i in 1 2 3 4 5 6; do sleep 1000 & done; echo up; wait")
		spec.Name = "s" + strconv.Itoa(i)
		runnertest.StartReady(b, spec)
	}
}

// BenchmarkList lists 15 sessions with 105 processes.
func BenchmarkList(b *testing.B) {
	path := runnertest.NewState(b)
	startMany(b, path, 15)
	dir := runnertest.OpenState(b, path)
	for b.Loop() {
		l, err := list.List(context.Background(), dir, false, true)
		if err != nil || len(l.Active) != 105 {
			b.Fatal(len(l.Active), err)
		}
	}
}
