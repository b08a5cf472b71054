//go:build !linux

package proc

import "runtime"

func inspection() Sight { return Sight{System: runtime.GOOS, PtraceScope: -1} }
