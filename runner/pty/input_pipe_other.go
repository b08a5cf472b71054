//go:build !linux

package pty

import (
	"errors"
	"os"
)

// unread cannot tell: elsewhere FIONREAD is known for the reading end of a pipe alone.
func (p *InputPipe) unread() (n int64, readers bool, err error) {
	return 0, true, errors.ErrUnsupported
}

func inodeOf(*os.File) (inode, filesystem uint64) { return 0, 0 }
