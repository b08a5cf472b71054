package ledger

import (
	"errors"
	"os"
	"path/filepath"
)

// policyFile has the policy that people have written for the workspace. Package guard reads it, with distrust.
const policyFile = "policies.toml"

// PolicyFile returns the path of the workspace's policy in the state folder at path. The folder need not exist.
func PolicyFile(path string) string { return filepath.Join(path, policyFile) }

// NewPolicy writes the text of a policy for the workspace, and returns the path of the file. The error is fs.ErrExist if there is
// one already.
func (d Dir) NewPolicy(text string) (path string, err error) {
	path = d.file(policyFile)
	f, err := openFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return path, err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // half a policy must not count
	}
	return path, err
}
