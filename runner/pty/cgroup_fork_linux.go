package pty

import (
	"os"
	"syscall"

	"devtools/runner/proc"
)

// forkInto starts the command like forkExec, but in the cgroup: CLONE_INTO_CGROUP of clone3(2).
func forkInto(g proc.Cgroup, opts Options, attr *syscall.ProcAttr) (int, error) {
	folder, err := os.Open(g.Path)
	if err != nil {
		return 0, err
	}
	defer folder.Close()
	sys := *attr.Sys
	sys.UseCgroupFD, sys.CgroupFD = true, int(folder.Fd())
	into := *attr
	into.Sys = &sys
	return forkExec(opts, &into)
}
