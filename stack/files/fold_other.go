//go:build !darwin && !windows

package files

// foldsCase says that file systems here tell "A" from "a", where no repository says.
const foldsCase = false
