package start

import (
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"devtools/runner/wire"
)

// jobserver finds the pipe of make's job server in the value of MAKEFLAGS ("POSIX Jobserver" in the manual of GNU make): the word
// that names its descriptors, and these. Where it is a FIFO, which a path names, there is nothing to find.
func jobserver(flags string) (word string, fds []int) {
	for word := range strings.FieldsSeq(flags) {
		for _, option := range []string{"--jobserver-auth=", "--jobserver-fds="} { // the second one until make 4.1
			pair, ok := strings.CutPrefix(word, option)
			read, write, pipe := strings.Cut(pair, ",")
			r, err := strconv.Atoi(read)
			w, err2 := strconv.Atoi(write)
			if ok && pipe && err == nil && err2 == nil {
				return word, []int{r, w}
			}
		}
	}
	return "", nil
}

// inheritedJobs returns the two ends of the job server's pipe, if make has left them open for this process. It must be called before
// this process opens a file that may get such a number.
func inheritedJobs() (pipe []*os.File) {
	_, fds := jobserver(os.Getenv("MAKEFLAGS"))
	for _, fd := range fds {
		f := os.NewFile(uintptr(max(fd, 0)), "job server")
		if info, err := f.Stat(); fd <= 2 || err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			return nil
		}
		pipe = append(pipe, f)
	}
	return pipe
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
