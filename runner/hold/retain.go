package hold

import (
	"context"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/census"
)

// retainTime is the longest time that a holder spends on removing data that is no longer kept.
const retainTime = 5 * time.Minute

// retain removes data that the workspace no longer keeps, and the remains of killed holders. The holder has
// nothing else to do by then. The list of all cgroups is long where many sessions live, so only the holder whose
// turn it is reads it. Where nothing is removed, nobody takes turns, and every holder reads it. In a workspace of less than
// an hour there is no turn yet: so one holder in 32 reads it, too.
func (h *holder) retain() {
	ctx, cancel := context.WithTimeout(context.Background(), retainTime)
	defer cancel()
	due, err := h.dir.Retain(ctx, h.spec.Retention, census.Lives(h.dir))
	h.note(err)
	if due || h.spec.Retention == (ledger.Retention{}) || strings.HasSuffix(h.session.ID, "0") {
		h.cgroup.RemoveOthers()
	}
}
