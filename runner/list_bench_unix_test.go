//go:build unix

package runner

import (
	"context"
	"strconv"
	"testing"
)

// startMany starts sessions of a shell with six children each.
func startMany(b *testing.B, path string, sessions int) {
	b.Helper()
	for i := range sessions {
		spec := shell(b, path, "for i in 1 2 3 4 5 6; do sleep 1000 & done; echo up; wait")
		spec.Name = "s" + strconv.Itoa(i)
		startReady(b, spec)
	}
}

// BenchmarkList lists 15 sessions with 105 processes.
func BenchmarkList(b *testing.B) {
	path := newState(b)
	startMany(b, path, 15)
	dir := openState(b, path)
	for b.Loop() {
		l, err := List(context.Background(), dir, false, true)
		if err != nil || len(l.Active) != 105 {
			b.Fatal(len(l.Active), err)
		}
	}
}
