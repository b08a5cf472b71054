//go:build !darwin && !windows

package files

// foldsCase says that file systems here distinguish "A" and "a". A repository may say otherwise.
const foldsCase = false
