package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// policyFile has the policy that people have written for the workspace. Package guard reads it, with distrust.
const policyFile = "policies.toml"

// PolicyFile returns the path of the workspace's policy in the state folder at path. The folder need not exist.
func PolicyFile(path string) string { return filepath.Join(path, policyFile) }

// NewPolicy writes the text of a policy for the workspace, and returns the path of the file. An older devtools has hidden this file
// from git: NewPolicy shows it, unless people have changed the .gitignore. The error is fs.ErrExist if there is a policy already.
func (d Dir) NewPolicy(text string) (path string, err error) {
	path = d.file(policyFile)
	f, err := openFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return path, err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // half a policy must not count
		return path, err
	}
	if data, err := readFile(d.file(ignoreFile)); err == nil && outdated(string(data)) {
		return path, d.writeIgnore()
	}
	return path, nil
}

// outdated reports whether an older devtools has written the text of a .gitignore: it had fewer of the present lines.
func outdated(text string) bool {
	return text != ignored && strings.HasPrefix(ignored, text) && strings.HasSuffix(text, "\n")
}
