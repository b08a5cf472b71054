//go:build amd64 || arm64

package fork

// shared says that the child of vfork has the memory of its parent.
const shared = true

// vfork is the system call clone(2) or clone3(2), with its number and its first two arguments. The flags must include
// CLONE_VFORK and CLONE_VM: the child has the memory of the parent, and its stack. The parent goes on when the child has
// executed a program or has ended. Nothing is copied; a fork copies the page tables of the parent, and then each of its
// pages that either writes to. vfork returns 0 and 0 in the child.
//
// It is the system call alone, because what the child puts on the stack replaces the place to which a Go function would
// return. Package syscall has the same, and keeps it to itself.
func vfork(trap, first, second uintptr) (pid, errno uintptr)
