package blocked

import "testing"

// Only a reader without helpers and without a time limit has done all that it does about what it has read.
func TestOnly(t *testing.T) {
	for _, tt := range []struct {
		name, run string
		want      bool
	}{
		{"a reader", "exec cat", true},
		{"a line editor", "exec bash --norc --noprofile -i", true},
		{"a time limit", `exec python3 -c '
import os, select
while True: select.select([0], [], [], 0.3)'`, false},
		{"a thread", `exec python3 -c '
import threading, time, os
threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
os.read(0, 1)'`, false},
		{"a pipeline", "cat | cat", false},
		{"a helper in a session of its own", "setsid sleep 100 & exec cat", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := piece{needs: "python3 bash", run: tt.run}.stage(t)
			s.untilWaiting()
			if block, ok := s.watch.Blocked(); !ok || block.Only != tt.want {
				t.Errorf("%+v, %v, want only: %v", block, ok, tt.want)
			}
		})
	}
}
