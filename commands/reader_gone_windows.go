package commands

import (
	"io"
	"os"
)

// readerGone returns a channel that is never closed: there, only a write tells that nobody reads.
func readerGone(io.Writer) <-chan struct{} { return nil }

// hasInput reports false: what a pipe has is not asked for.
func hasInput(*os.File) bool { return false }

// isPipe reports false: there, a caller that ends with its reader is not looked for.
func isPipe(io.Writer) bool { return false }
