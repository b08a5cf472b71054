//go:build unix

package condition

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"devtools/runner/proc"
)

// TestOnePortSteady has a server that tries whether its port is free before it listens there for good.
func TestOnePortSteady(t *testing.T) {
	if _, err := proc.Listeners(0); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system does not tell who listens")
	}
	trial, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := trial.Addr().(*net.TCPAddr).Port
	p := onePort{port: port}
	look := func() bool {
		t.Helper()
		note, there := p.look(context.Background(), func() []int { return []int{os.Getpid()} })
		if note != "" {
			t.Fatal(note)
		}
		return there
	}
	later := func() { // portSteady passes
		for inode, since := range p.since {
			p.since[inode] = since.Add(-portSteady)
		}
	}
	if look() {
		t.Error("a socket that nobody has seen before counts")
	}
	later()
	if err := trial.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := net.Listen("tcp", trial.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if look() {
		t.Error("a second socket counts by the time of the first")
	}
	later()
	if !look() {
		t.Error("a socket that listens on does not count")
	}
}

// TestProbePortFree has a stranger leave the port that nobody of ours listens on.
func TestProbePortFree(t *testing.T) {
	if _, err := proc.Listeners(0); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system does not tell who listens")
	}
	stranger, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := Listens(stranger.Addr().(*net.TCPAddr).Port)
	noted := false
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for note, there := range c.Probe(ctx, func() []int { return nil }) {
		switch {
		case there:
			t.Fatal("a port that nobody listens on counts")
		case note == "":
			return
		case !noted:
			noted = true
			if err := stranger.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Fatal("nobody says that the port is free")
}
