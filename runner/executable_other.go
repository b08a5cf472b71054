//go:build !linux

package runner

import "os"

func executable() (string, error) { return os.Executable() }
