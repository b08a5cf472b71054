package hold

import (
	"context"
	"time"

	"devtools/runner/census"
)

// retainTime is the longest time that a holder spends on removing data that is no longer kept.
const retainTime = 5 * time.Minute

// retain removes data that the workspace no longer keeps, and the remains of killed holders. The holder has
// nothing else to do by then.
func (h *holder) retain() {
	h.cgroup.RemoveOthers()
	ctx, cancel := context.WithTimeout(context.Background(), retainTime)
	defer cancel()
	h.note(h.dir.Retain(ctx, h.spec.Retention, census.Lives(h.dir)))
}
