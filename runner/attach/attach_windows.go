package attach

import (
	"context"

	"devtools/runner"
)

// Attach returns ErrNoTerminals, because sessions have no terminal on Windows.
func Attach(_ context.Context, c *runner.Client, _ Options) (Result, error) {
	return Result{Session: c.Session}, runner.ErrNoTerminals
}
