//go:build unix

package runner

import (
	"context"
	"testing"

	"devtools/screen"
)

// BenchmarkPicture asks a living session for its picture.
func BenchmarkPicture(b *testing.B) {
	state := newState(b)
	c := begin(b, shell(b, state, "echo ready; exec sleep 1000"))
	dir := openState(b, state)
	ctx := context.Background()
	look := Look{View: screen.Visible()}
	for b.Loop() {
		if _, _, err := See(ctx, dir, c.Session.Name, look); err != nil {
			b.Fatal(err)
		}
	}
}
