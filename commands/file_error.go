package commands

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// fileError returns the error of a system call about the file at path, with what the file is for: a flag, or a noun.
func fileError(what, path string, err error) error {
	if about, ok := errors.AsType[*fs.PathError](err); ok {
		err = about.Err
	}
	return fmt.Errorf("%s %s: %w", what, path, err)
}

// attempt says what a system call was to do, for a message. Of most the name says it.
func attempt(call string) string {
	switch call {
	case "openat":
		return "open"
	case "mkdir":
		return "make the folder"
	case "stat", "lstat", "fstat":
		return "look at"
	case "readdirent":
		return "read the folder"
	case "chdir":
		return "go to the folder"
	}
	return call
}

// inWords returns the text of err. In it, what a system call says of a file is a sentence: Go's words are "open FILE: no such file
// or directory". What several errors say alike, it says once.
func inWords(err error) string {
	text := err.Error()
	for _, about := range pathErrors(err) {
		file := about.Path
		switch file {
		case os.Stdin.Name():
			file = "standard input"
		case os.Stdout.Name():
			file = "standard output"
		}
		text = strings.ReplaceAll(text, about.Error(), "cannot "+attempt(about.Op)+" "+file+": "+about.Err.Error())
	}
	return strings.Join(slices.Compact(strings.Split(text, "\n")), "\n")
}

// pathErrors returns the errors about files in err, also those of errors that are joined in it.
func pathErrors(err error) (all []*fs.PathError) {
	switch e := err.(type) {
	case *fs.PathError:
		return []*fs.PathError{e}
	case interface{ Unwrap() error }:
		return pathErrors(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			all = append(all, pathErrors(one)...)
		}
	}
	return all
}

// isOutput reports whether err is from writing to standard output.
func isOutput(err error) bool {
	about, ok := errors.AsType[*fs.PathError](err)
	return ok && about.Op == "write" && about.Path == os.Stdout.Name()
}
