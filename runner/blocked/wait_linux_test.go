package blocked

import (
	"testing"
	"time"
)

// A guess agrees with what is known.
func TestGuess(t *testing.T) {
	for _, tt := range []struct {
		name, run string
		want      bool
	}{
		{"cat", "exec cat", true},
		{"sleep", "exec sleep 100", false},
		{"a FIFO", "exec cat fifo 3<>fifo", false},
		{"a socket", `exec python3 -c '
import socket
a, b = socket.socketpair()
a.recv(1)'`, false},
		{"a poll", `exec bash --norc --noprofile -i`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := piece{needs: "python3 bash", run: tt.run, setup: "mkfifo fifo"}.stage(t)
			tty := s.watch.tty
			for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
				p, err := uncached.stat(s.cmd.Process.Pid)
				if err != nil {
					t.Fatal(err)
				}
				in := inspector{Info: p, device: tty.Device, filesystem: tty.Filesystem}
				known, err := in.wait(p.PID)
				if err != nil {
					t.Fatal(err)
				}
				// The shell itself, which becomes the program, waits for nothing here.
				if known.call == "" || p.Name == "sh" {
					if time.Now().After(deadline) {
						t.Fatalf("%+v is in %+v", p, known)
					}
					continue
				}
				guessed, ok := in.guess()
				if tt.want && !ok && time.Now().Before(deadline) {
					continue // it was still running when its state was read
				}
				if ok != tt.want || ok && !guessed.has(terminalSource) {
					t.Errorf("%+v, %v in %+v", guessed, ok, known)
				}
				return
			}
		})
	}
}
