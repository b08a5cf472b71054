package wire

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// fifoAt opens a door in a folder of its own and takes clients, which it sends to the channel.
func fifoAt(t *testing.T) (path string, clients <-chan Duplex) {
	t.Helper()
	path = filepath.Join(shortFolder(t), "6b2-00000001"+fifoSuffix)
	door, err := ListenAt(path)
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan Duplex, 64)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := door.Accept()
			if err != nil {
				return
			}
			accepted <- conn.(Duplex)
		}
	}()
	t.Cleanup(func() {
		_ = door.Close()
		<-done
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	})
	return path, accepted
}

// Clients that come at once each have a connection of their own, also for what is larger than a FIFO holds.
func TestFIFOClients(t *testing.T) {
	path, accepted := fifoAt(t)
	const clients = 8
	go func() {
		for range clients {
			conn := <-accepted
			go func() { // an echo
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			}()
		}
	}()
	echoed := make(chan error, clients)
	for i := range clients {
		go func() {
			sent := bytes.Repeat([]byte{byte(i)}, 1<<20)
			conn, err := dialFIFO(path)
			if err != nil {
				echoed <- err
				return
			}
			defer conn.Close()
			go func() { _, _ = conn.Write(sent) }()
			got := make([]byte, len(sent))
			if _, err = io.ReadFull(conn, got); err == nil && !bytes.Equal(got, sent) {
				err = errors.New("something else came back")
			}
			echoed <- err
		}()
	}
	for range clients {
		if err := <-echoed; err != nil {
			t.Error(err)
		}
	}
}

// Each side learns that the other is gone.
func TestFIFOEnds(t *testing.T) {
	path, accepted := fifoAt(t)
	client, err := dialFIFO(path)
	if err != nil {
		t.Fatal(err)
	}
	holder := <-accepted
	_ = client.Close()
	if _, err := holder.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the holder reads %v", err)
	}
	if _, err := holder.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("the holder writes %v", err)
	}
	_ = holder.Close()
	if client, err = dialFIFO(path); err != nil {
		t.Fatal(err)
	}
	holder = <-accepted
	_, _ = holder.Write([]byte("last words"))
	_ = holder.Close()
	if said, err := io.ReadAll(client); string(said) != "last words" || err != nil {
		t.Errorf("the client reads %q, %v", said, err)
	}
	if _, err := client.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("the client writes %v", err)
	}
	_ = client.Close()
}

// A door without a holder refuses, and one whose holder is stopped does not answer. Neither leaves a FIFO behind.
func TestFIFOWithoutHolder(t *testing.T) {
	path := filepath.Join(shortFolder(t), "6b2-00000001"+fifoSuffix)
	if _, err := dialFIFO(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a door: %v", err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dialFIFO(path); !errors.Is(err, ConnectionRefused) {
		t.Errorf("without a holder: %v", err)
	}
	stopped, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer stopped.Close()
	if _, err := dialFIFO(path); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("with a stopped holder: %v", err)
	}
	if left, err := filepath.Glob(path + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A line at a door that is no name of a client is nothing.
func TestFIFONames(t *testing.T) {
	path, accepted := fifoAt(t)
	door, err := openFIFO(path, os.O_WRONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer door.Close()
	if _, err := door.WriteString("\n../x\nnobody\n" + string(bytes.Repeat([]byte("x"), 2000)) + "\n"); err != nil {
		t.Fatal(err)
	}
	client, err := dialFIFO(path)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	select {
	case holder := <-accepted:
		_ = holder.Close()
	case <-time.After(time.Minute):
		t.Error("the next client is not served")
	}
}

// A client whose holder leaves before it has answered learns that at once.
func TestFIFOHolderLeaves(t *testing.T) {
	path := filepath.Join(shortFolder(t), "6b2-00000001"+fifoSuffix)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	holder, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	dialed := make(chan error)
	go func() {
		_, err := dialFIFO(path)
		dialed <- err
	}()
	if _, err := holder.Read(make([]byte, 1)); err != nil { // the client waits
		t.Fatal(err)
	}
	_ = holder.Close()
	if err := <-dialed; !errors.Is(err, ConnectionRefused) {
		t.Errorf("%v", err)
	}
}
