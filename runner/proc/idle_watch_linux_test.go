package proc

import (
	"errors"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// isStill reports whether the watched processes have done nothing since the sample.
func isStill(w *IdleWatch) bool { return w.bell.still(unsafe.SliceData(w.clocks), len(w.clocks)) }

func newWatch(t testing.TB) *IdleWatch {
	w := NewIdleWatch()
	if w == nil {
		t.Fatal("no descriptors left")
	}
	t.Cleanup(w.Close)
	return w
}

// sampleAsleep samples the process once it sleeps.
func sampleAsleep(t testing.TB, w *IdleWatch, id ID) {
	t.Helper()
	for ctx := deadline(t); ; {
		sampled := w.Sample([]ID{id})
		info, err := Read(id.PID)
		if err != nil || ctx.Err() != nil {
			t.Fatal(errors.Join(err, ctx.Err()))
		}
		if sampled && info.State == 'S' && isStill(w) {
			return
		}
	}
}

// returned waits until done is closed.
func returned(t testing.TB, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-deadline(t).Done():
		t.Fatal("it waits on")
	}
}

func TestIdleWatch(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		kill   bool
	}{
		"forks":                   {script: "echo up; read x; sleep 1000 & read y"},
		"forks and does not wait": {script: "trap '' CHLD; echo up; read x; (sleep 1000 &) ; read y"},
		"executes":                {script: "echo up; read x; exec sleep 1000"},
		"exits":                   {script: "echo up; read x"},
		"is killed":               {script: "echo up; read x", kill: true},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := newWatch(t), shell(t, test.script)
			c.expect("up", 1)
			sampleAsleep(t, w, c.id())
			done := make(chan struct{})
			go func() {
				defer close(done)
				if w.Wait(0, time.Millisecond) {
					t.Error("nothing has rung")
				}
			}()
			select {
			case <-done:
				t.Fatal("it returned although the process sleeps")
			case <-time.After(20 * time.Millisecond):
			}
			if test.kill {
				_ = c.Process.Kill() // a zombie's clock shows what its end took
			} else if _, err := c.stdin.Write([]byte("\n")); err != nil {
				t.Fatal(err)
			}
			returned(t, done)
		})
	}
}

// A Ring ends the present Wait, and one before it the next Wait; not another one.
func TestIdleWatchRings(t *testing.T) {
	w, c := newWatch(t), shell(t, "echo up; read x")
	c.expect("up", 1)
	sampleAsleep(t, w, c.id())
	for range 2 {
		w.Ring()
		if !w.Wait(time.Hour, time.Hour) {
			t.Error("it does not say that it was rung")
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.Wait(time.Hour, time.Hour)
		}()
		select {
		case <-done:
			t.Fatal("it returned although nothing rang")
		case <-time.After(10 * time.Millisecond):
		}
		w.Ring()
		returned(t, done)
	}
}

// What cannot be watched is not sampled: what is gone, and more than a look may cost.
func TestIdleWatchRefuses(t *testing.T) {
	w, c := newWatch(t), shell(t, "exit 0")
	id := c.id()
	c.await()
	reap()
	if w.Sample([]ID{id}) {
		t.Error("a process that is gone was sampled")
	}
	if w.Sample(make([]ID, maxClocks+1)) {
		t.Error("too many were sampled")
	}
	if (*IdleWatch)(nil).Sample(nil) {
		t.Error("nothing was sampled by nothing")
	}
}

// What sleeps in Wait does not hold up what the runtime does with all goroutines.
func TestIdleWatchLetsTheWorldStop(t *testing.T) {
	w := newWatch(t)
	c := shell(t, "read x")
	w.Sample([]ID{c.id()})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			w.Wait(time.Hour, time.Hour)
		}
	}()
	for range 100 {
		runtime.GC()
		w.Ring()
	}
	for {
		select {
		case <-done:
			return
		default:
			w.Ring()
		}
	}
}

// BenchmarkIdleWatch is one look at one process.
func BenchmarkIdleWatch(b *testing.B) {
	w, c := newWatch(b), shell(b, "echo up; read x")
	c.expect("up", 1)
	sampleAsleep(b, w, c.id())
	for b.Loop() {
		if !isStill(w) {
			b.Fatal("it is not asleep")
		}
	}
	_ = c.Process.Signal(syscall.SIGKILL) // the test is over
}
