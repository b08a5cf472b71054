package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"devtools/ledger/regular"
)

const (
	// AllowedTime is how long a person's answer counts.
	AllowedTime = 10 * time.Minute

	mostQuestions = 20          // how many are kept
	questionsName = "questions" // name of their folder, beside the user's policy
	allowedEnd    = ".allowed"  // end of the name of the file that says that a person has allowed the call
)

// A Question is about a call that a person is to allow later, at a terminal. Allowed, it may be done once.
type Question struct {
	Text string // what the person is asked; secrets are masked

	sum  string // of all that must be the same in the call that is done
	path string // of a file with a line that is sum, and Text
}

// AskLater reports whether a person has allowed a call, and not too long ago: that counts once. Otherwise it keeps the question text for
// a person, and returns its ID, or "" where it cannot be kept. exact is all that must be the same in the call that is done. user is the
// path that Load takes.
func AskLater(user, exact, text string) (id string, allowed bool) {
	hash := sha256.Sum256([]byte(exact))
	sum := hex.EncodeToString(hash[:])
	id = sum[:6]
	q := Question{text, sum, questionPath(user, id)}
	if allowed = user != "" && q.allowed(); allowed || user == "" || q.keep() != nil {
		return "", allowed
	}
	return id, false
}

// FindQuestion returns a question that was kept. The error is fs.ErrNotExist if there is none with this ID.
func FindQuestion(user, id string) (Question, error) {
	if user == "" || id != filepath.Base(id) {
		return Question{}, fs.ErrNotExist
	}
	path := questionPath(user, id)
	data, _, err := readOwn(path)
	sum, text, _ := strings.Cut(string(data), "\n")
	return Question{text, sum, path}, err
}

func questionPath(user, id string) string {
	return filepath.Join(filepath.Dir(user), questionsName, id)
}

// keep keeps the question for a person. It makes the folder if need be, with mode 0700, but no home folder, and nothing in that of
// another user; the file has 0600. The oldest questions go.
func (q Question) keep() error {
	dir, err := filepath.Dir(q.path), checkFolder(q.path)
	for above, n := dir, 0; n < 3 && errors.Is(err, fs.ErrNotExist); n++ { // it, devtools and .config
		err, above = checkFolder(above), filepath.Dir(above)
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = regular.Replace(q.path, []byte(q.sum+"\n"+q.Text), 0o600)
	}
	if err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	modified := func(e fs.DirEntry) (at time.Time) {
		if info, err := e.Info(); err == nil {
			at = info.ModTime()
		}
		return at
	}
	slices.SortFunc(files, func(a, b fs.DirEntry) int { return modified(b).Compare(modified(a)) })
	for _, old := range files[min(len(files), mostQuestions):] {
		_ = os.Remove(filepath.Join(dir, old.Name()))
	}
	return err
}

// Allow records that a person has allowed the call of the question.
func (q Question) Allow() error {
	return errors.Join(regular.Replace(q.path+allowedEnd, []byte(q.sum), 0o600), os.RemoveAll(q.path)) // that may have gone
}

// allowed reports whether a person has allowed the call of the question. It is true once.
func (q Question) allowed() bool {
	path := q.path + allowedEnd
	data, info, err := readOwn(path)
	return err == nil && checkFolder(path) == nil && string(data) == q.sum && time.Since(info.ModTime()) < AllowedTime && os.Remove(path) == nil
}
