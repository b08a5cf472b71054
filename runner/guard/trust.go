package guard

// An Allowance is a rule, or a key of [pty], that allows something.
type Allowance struct {
	Name string // name of the rule, or "pty.launch" and the like
	Line int    // in the policy file; counted from 1
}

// A Review is a workspace's policy as Inspect has found it.
type Review struct {
	File    string      // path of the policy, absolute, without links
	Sum     string      // SHA-256 of its content, in hexadecimal digits
	Trusted bool        // the user trusts this content
	Allows  []Allowance // what it allows, in the order of the file

	store string // path of the file that keeps the trust
}

// Inspect reads the policy of a workspace for the question whether the user trusts it. user and
// workspace are the paths that Load takes. A missing file is an error that wraps fs.ErrNotExist.
func Inspect(user, workspace string) (Review, error) {
	return Review{}, nil
}

// Trust records that the user trusts the reviewed content, in the file "trusted" beside the user's
// policy. It makes the folder if need be (mode 0700; the file has 0600).
func (r Review) Trust() error {
	return nil
}

// Distrust forgets that the user trusts a workspace's policy. It reports whether the policy was
// trusted. The policy itself need not exist any more.
func Distrust(user, workspace string) (was bool, err error) {
	return false, nil
}
