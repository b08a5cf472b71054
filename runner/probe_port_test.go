package runner

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

// TestStrangerLeaves has another process give up the port, which is not to be ready.
func TestStrangerLeaves(t *testing.T) {
	if _, err := proc.Listeners(0); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system does not tell who listens")
	}
	stranger, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var notes []string
	for note, there := range Listens(stranger.Addr().(*net.TCPAddr).Port).probe(ctx, func() []int { return nil }) {
		if there {
			t.Fatal("nobody listens, and it is ready")
		}
		if notes = append(notes, note); note == "" {
			break
		}
		if err := stranger.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(notes) != 2 {
		t.Errorf("the notes are %q", notes)
	}
}
