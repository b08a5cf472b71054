//go:build !linux

package proc

import "errors"

func subreaper() error { return errors.ErrUnsupported }
