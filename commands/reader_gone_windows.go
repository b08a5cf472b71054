package commands

import (
	"io"
	"os"
)

// readerGone returns a channel that is never closed: there, only a write tells that nobody reads.
func readerGone(io.Writer) <-chan struct{} { return nil }

// hasInput reports false: what a pipe has is not asked for.
func hasInput(*os.File) bool { return false }

// isPipe returns false: on Windows run does not look for callers that have ended.
func isPipe(io.Writer) bool { return false }
