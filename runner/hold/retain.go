package hold

import (
	"context"
	"time"

	"devtools/runner/census"
)

// retainTime is the most that a holder spends on removing what is not kept any more.
const retainTime = 5 * time.Minute

// retain removes what the workspace does not keep any more, and what killed holders have left. The holder has nothing
// else to do then.
func (h *holder) retain() {
	h.cgroup.RemoveOthers()
	ctx, cancel := context.WithTimeout(context.Background(), retainTime)
	defer cancel()
	h.note(h.dir.Retain(ctx, h.spec.Retention, census.Lives(h.dir)))
}
