//go:build darwin || freebsd

package pty

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA
