package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"devtools/ledger"
	"devtools/ledger/regular"
	"devtools/runner/guard"
)

// policyChecks looks at the policies of the user and of the workspace whose state folder is at path. One that cannot be used stops
// every call that starts, types or ends something.
func policyChecks(path string) []Check {
	const name = "policy"
	if _, err := ledger.Inspect(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // the check of the state folder reports the error
	}
	user, workspace := guard.UserFile(), ledger.PolicyFile(path)
	policy, err := guard.Load(user, workspace, false)
	if err != nil {
		return []Check{{name, LevelFail, fmt.Sprintf("The policy cannot be used, and until then nothing is started, typed or ended: %v.", err), "correct or remove that file"}}
	}
	if warning := policy.Warning(); warning != "" {
		return []Check{{name, LevelWarn, "Not all counts that your policies allow: " + warning + ".", "make that file your own, or set XDG_CONFIG_HOME to a folder of your own"}}
	}
	var there []string
	for _, file := range []string{user, workspace} {
		info, err := os.Stat(file) // a link of the user's is followed
		switch {
		case err != nil:
			continue
		case !regular.Owned(info):
			return []Check{{name, LevelWarn, fmt.Sprintf("The policy %s belongs to another user.", file), "copy it, and remove that file, unless its owner is to decide what is run here"}}
		}
		there = append(there, file)
	}
	if len(there) == 0 {
		return []Check{{Name: name, Level: LevelOK, Message: "There is no policy: devtools runs, types and ends what it is told to."}}
	}
	review, err := guard.Inspect(user, workspace)
	if err == nil && len(review.Allows) > 0 && !review.Trusted {
		return []Check{{name, LevelNote, fmt.Sprintf("You have not trusted %s as it is now: what it allows does not count.", workspace), "devtools policy trust shows what it allows"}}
	}
	return []Check{{Name: name, Level: LevelOK, Message: fmt.Sprintf("%s can be read: %s.", count(len(there), "policy file"), strings.Join(there, ", "))}}
}
