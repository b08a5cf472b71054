//go:build !linux

package proc

import "errors"

func unread(int) (int, error) { return 0, errors.ErrUnsupported }
