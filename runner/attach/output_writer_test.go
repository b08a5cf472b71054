package attach

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
)

// write returns after the terminal has taken the piece.
func TestOutputWriter(t *testing.T) {
	var to bytes.Buffer
	w := newOutputWriter(&to)
	defer w.close()
	for _, piece := range []string{"one ", "two"} {
		if err := w.write(t.Context(), []byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if to.String() != "one two" {
		t.Errorf("got %q", to.String())
	}
}

// A terminal that takes no output is given up after the end of the attachment, and for good.
func TestOutputWriterStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, to := io.Pipe()
		w := newOutputWriter(to)
		ctx, cancel := context.WithCancel(t.Context())
		written := make(chan error, 1)
		go func() { written <- w.write(ctx, []byte("a")) }()
		synctest.Wait()
		select {
		case err := <-written:
			t.Errorf("the terminal took nothing, and write returned %v", err)
		default:
		}
		cancel()
		if err := <-written; !errors.Is(err, errStuck) || !w.stuck {
			t.Errorf("after the end: %v", err)
		}
		if err := w.write(t.Context(), []byte("b")); !errors.Is(err, errStuck) {
			t.Errorf("the next piece: %v", err)
		}
		_ = r.Close()
		w.close()
	})
}

// A terminal that is gone fails at once.
func TestOutputWriterGone(t *testing.T) {
	r, to := io.Pipe()
	_ = r.Close()
	w := newOutputWriter(to)
	defer w.close()
	if err := w.write(t.Context(), []byte("a")); !errors.Is(err, errStuck) {
		t.Error(err)
	}
}
