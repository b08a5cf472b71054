package start

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"devtools/runner/wire"
)

// jobserver finds the pipe of make's job server in the value of MAKEFLAGS ("POSIX Jobserver" in the manual of GNU make): the word
// that names its descriptors, and these. Where it is a FIFO, which a path names, there is nothing to find.
func jobserver(flags string) (word string, fds []int) {
	for word := range strings.FieldsSeq(flags) {
		var read, write int
		option := strings.Replace(word, "-fds=", "-auth=", 1) // its name until make 4.1
		if n, _ := fmt.Sscanf(option, "--jobserver-auth=%d,%d", &read, &write); n == 2 {
			return word, []int{read, write}
		}
	}
	return "", nil
}

// passJobs makes MAKEFLAGS of the spec name the descriptors that its program gets, 3 and 4, and returns the files for them. A program
// that gets none must not be told of any: what stands there may be another file. One that may outlive make gets none.
func passJobs(spec *wire.Spec, jobs []*os.File) []*os.File {
	if !spec.Foreground {
		jobs = nil
	}
	i := slices.IndexFunc(spec.Env, func(pair string) bool { return strings.HasPrefix(pair, "MAKEFLAGS=") })
	if i < 0 {
		return nil
	}
	word, _ := jobserver(strings.TrimPrefix(spec.Env[i], "MAKEFLAGS="))
	if word == "" {
		return nil
	}
	named := ""
	if len(jobs) > 0 {
		named = "--jobserver-auth=3,4"
	}
	spec.Env = slices.Clone(spec.Env)
	spec.Env[i] = strings.Replace(spec.Env[i], word, named, 1)
	spec.Jobs = len(jobs) > 0
	return jobs
}
