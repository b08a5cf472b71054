package start

import (
	"fmt"
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

// nameJobs makes MAKEFLAGS of the spec name the descriptors that its program gets, 3 and 4, if there are any. A program
// that gets none must not be told of any: what stands there may be another file. One that may outlive make gets none.
func nameJobs(spec *wire.Spec, there bool) {
	i := slices.IndexFunc(spec.Env, func(pair string) bool { return strings.HasPrefix(pair, "MAKEFLAGS=") })
	if i < 0 {
		return
	}
	word, _ := jobserver(strings.TrimPrefix(spec.Env[i], "MAKEFLAGS="))
	if word == "" {
		return
	}
	named := ""
	if spec.Jobs = there && spec.Foreground; spec.Jobs {
		named = "--jobserver-auth=3,4"
	}
	spec.Env = slices.Clone(spec.Env)
	spec.Env[i] = strings.Replace(spec.Env[i], word, named, 1)
}
