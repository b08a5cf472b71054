package start

import (
	"os"
	"reflect"
	"testing"

	"devtools/runner/wire"
)

// The descriptors of a job server are passed on to a program that a caller waits for. Otherwise MAKEFLAGS does not name them.
func TestPassJobs(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	pipe := []*os.File{r, w}
	for _, c := range []struct {
		flags      string
		foreground bool
		jobs       []*os.File
		want       string
		passed     bool
	}{
		{" -j4 --jobserver-auth=5,6 -- A=1", true, pipe, " -j4 --jobserver-auth=3,4 -- A=1", true},
		{"--jobserver-fds=5,6 -j", true, pipe, "--jobserver-auth=3,4 -j", true},
		{" -j4 --jobserver-auth=5,6", true, nil, " -j4 ", false},
		{" -j4 --jobserver-auth=5,6", false, pipe, " -j4 ", false},
		{" -j4 --jobserver-auth=fifo:/tmp/x,1", true, nil, " -j4 --jobserver-auth=fifo:/tmp/x,1", false},
		{"k", true, nil, "k", false},
	} {
		spec := wire.Spec{Env: []string{"A=1", "MAKEFLAGS=" + c.flags}, Foreground: c.foreground}
		given := spec.Env
		files := passJobs(&spec, c.jobs)
		if got := spec.Env[1]; got != "MAKEFLAGS="+c.want || spec.Jobs != c.passed || reflect.DeepEqual(files, pipe) != c.passed {
			t.Errorf("%q: %q, passed %v, %d files", c.flags, got, spec.Jobs, len(files))
		}
		if given[1] != "MAKEFLAGS="+c.flags {
			t.Errorf("%q: the caller's environment has changed", c.flags)
		}
	}
}
