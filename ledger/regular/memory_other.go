//go:build !linux

package regular

import (
	"errors"
	"os"
)

// HasMemory says whether this system has files that are in memory alone.
const HasMemory = false

func inMemory(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func openInMemory(string, string) (*os.File, error) { return nil, errors.ErrUnsupported }
