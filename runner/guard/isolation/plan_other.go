//go:build !linux

package isolation

import (
	"errors"
	"fmt"
	"syscall"
)

// A Plan is what a child does to itself before it becomes a program at the level high. There is none here.
type Plan struct{}

// Check returns ErrUnavailable: only Linux has Landlock.
func Check() error { return fmt.Errorf("%w: it needs Linux", ErrUnavailable) }

// Prepare returns ErrUnavailable.
func Prepare(*Rules, Surroundings) (*Plan, error) { return nil, Check() }

// Start is not possible here.
func (*Plan) Start(string, []string, *syscall.ProcAttr) (int, error) { return 0, errors.ErrUnsupported }

// Close does nothing.
func (*Plan) Close() {}

// Probe returns that nothing is there.
func Probe() Support {
	return Support{High: Check()}
}

// Inside is false: no process is isolated here.
func Inside() bool { return false }
