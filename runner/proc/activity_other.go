//go:build !linux

package proc

// A look has nothing to look with here.
type look struct{}

func newLook(int) *look { return &look{} }

// at tells what the state alone does.
func (*look) at(a *Activity) {
	if a.plainly() {
		return
	}
	a.Doing, a.Text = DoingUnknown, "runs, or waits: this system does not tell"
}
