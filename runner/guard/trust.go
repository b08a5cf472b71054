package guard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"devtools/ledger/regular"
	"devtools/runner/guard/isolation"
)

// A Review is a workspace's policy as Inspect has found it.
type Review struct {
	File    string      // path of the policy, absolute, without links
	Trusted bool        // the user trusts this content
	Allows  []Allowance // what it allows, in the order of the file

	content []byte
	user    string // path of the user's policy
}

// ErrNoHome reports that the user has no folder for the file of what is trusted.
var ErrNoHome = errors.New("there is no folder that keeps what you trust")

// errForeign reports that another user has a file of policies, or its folder.
var errForeign = errors.New("belongs to another user")

// storeName is the name of the file beside the user's policy that says which workspaces' policies the
// user trusts: lines of a content in quotes with the escapes of Go, a blank and the path of the policy.
const storeName = "trusted"

// mostStore is the most bytes of the store, and of a question.
const mostStore = 4 << 20

// Inspect reads the policy of a workspace for the question whether the user trusts it. user and
// workspace are the paths that Load takes. A missing file is an error that wraps fs.ErrNotExist.
func Inspect(user, workspace string) (Review, error) {
	if user == "" {
		return Review{}, ErrNoHome
	}
	data, _, err := readWhole(workspace, mostFile)
	if err != nil {
		return Review{}, err
	}
	set, err := parsePolicy(workspace, data)
	if err != nil {
		return Review{}, err
	}
	r := Review{File: canonical(workspace), Allows: set.allowances(), content: data, user: user}
	r.Trusted, err = isTrusted(user, workspace, data)
	return r, err
}

// Trust records that the user trusts the reviewed content, in the file "trusted" beside the user's
// policy. It makes the folder if need be (mode 0700; the file has 0600).
func (r Review) Trust() error {
	if strings.ContainsAny(r.File, "\r\n") {
		return fmt.Errorf("%q: a path with a line break cannot be trusted", r.File)
	}
	if err := os.MkdirAll(filepath.Dir(r.user), 0o700); err != nil {
		return err
	}
	_, err := changeStore(r.user, r.File, storeLine(r.content, r.File))
	return err
}

// Distrust forgets that the user trusts a workspace's policy. It reports whether the policy was
// trusted. The policy itself need not exist any more.
func Distrust(user, workspace string) (was bool, err error) {
	return changeStore(user, canonical(workspace))
}

// changeStore replaces the lines of the store that are about a file. It reports whether there were some.
func changeStore(user, file string, by ...string) (was bool, err error) {
	if user == "" {
		return false, ErrNoHome
	}
	lines, err := readStore(storePath(user))
	rest := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return storedFile(l) == file })
	if was = len(rest) < len(lines); err == nil && (was || by != nil) {
		err = regular.Replace(storePath(user), []byte(strings.Join(append(append(rest, by...), ""), "\n")), 0o600)
	}
	return was, err
}

func storePath(user string) string { return filepath.Join(filepath.Dir(user), storeName) }

// canonical returns a path without links, as far as it exists.
func canonical(path string) string {
	path, _ = filepath.Abs(path)
	return filepath.Join(isolation.Resolve(filepath.Dir(path)), filepath.Base(path))
}

// isTrusted reports whether the user trusts a content of a workspace's policy. With an error, it is not trusted.
func isTrusted(user, workspace string, content []byte) (bool, error) {
	if user == "" {
		return false, nil
	}
	lines, err := readStore(storePath(user))
	if err != nil {
		return false, err
	}
	return slices.Contains(lines, storeLine(content, canonical(workspace))), nil
}

// storeLine returns the line of the store that says that a content of a file is trusted.
func storeLine(content []byte, file string) string {
	return strconv.Quote(string(content)) + " " + file
}

// storedFile returns the file that a line of the store is about, "" if the line is not whole.
func storedFile(l string) string {
	quoted, err := strconv.QuotedPrefix(l)
	if err != nil || quoted[0] != '"' || !strings.HasPrefix(l[len(quoted):], " ") {
		return ""
	}
	return l[len(quoted)+1:]
}

// readStore returns the lines of the store, none if it does not exist.
func readStore(path string) ([]string, error) {
	data, _, err := readOwn(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return parseStore(string(data)), err
}

// readOwn reads a file beside the user's policy. That of another user, or one that others may write, is an error.
func readOwn(path string) ([]byte, fs.FileInfo, error) {
	data, info, err := readWhole(path, mostStore)
	if err == nil {
		err = checkOwn(path, info)
	}
	return data, info, err
}

// readWhole reads a regular file.
func readWhole(path string, most int64) ([]byte, fs.FileInfo, error) {
	f, info, err := regular.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = &FileError{File: path, Err: fmt.Errorf("it has more than %d bytes", most)}
	}
	return data, info, err
}

// parseStore returns the lines of a store that are whole.
func parseStore(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return !filepath.IsAbs(storedFile(l)) })
}
