package start

import (
	"testing"

	"devtools/runner/wire"
)

// The descriptors of a job server are passed on to a program that a caller waits for. Otherwise MAKEFLAGS does not name them.
func TestNameJobs(t *testing.T) {
	for _, c := range []struct {
		flags      string
		foreground bool
		there      bool
		want       string
		passed     bool
	}{
		{" -j4 --jobserver-auth=5,6 -- A=1", true, true, " -j4 --jobserver-auth=3,4 -- A=1", true},
		{"--jobserver-fds=5,6 -j", true, true, "--jobserver-auth=3,4 -j", true},
		{" -j4 --jobserver-auth=5,6", true, false, " -j4 ", false},
		{" -j4 --jobserver-auth=5,6", false, true, " -j4 ", false},
		{" -j4 --jobserver-auth=fifo:/tmp/x,1", true, false, " -j4 --jobserver-auth=fifo:/tmp/x,1", false},
		{"k", true, false, "k", false},
	} {
		spec := wire.Spec{Env: []string{"A=1", "MAKEFLAGS=" + c.flags}, Foreground: c.foreground}
		given := spec.Env
		nameJobs(&spec, c.there)
		if got := spec.Env[1]; got != "MAKEFLAGS="+c.want || spec.Jobs != c.passed {
			t.Errorf("%q: %q, passed %v", c.flags, got, spec.Jobs)
		}
		if given[1] != "MAKEFLAGS="+c.flags {
			t.Errorf("%q: the caller's environment has changed", c.flags)
		}
	}
}
