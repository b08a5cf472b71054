package runner

import (
	"context"
	"errors"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// errNoNaming reports a holder that does not know the requests of Rename and Label.
var errNoNaming = errors.New("an older devtools started it, which cannot change its name or its labels")

// Rename gives the running session called name the name next, and returns it, with the name that it had. The error is
// ErrNameTaken if another session has the name next, and then nothing has changed.
func Rename(ctx context.Context, dir ledger.Dir, name, next string) (session ledger.Session, was string, err error) {
	resp, err := describe(ctx, dir, name, wire.Request{Op: wire.OpRename, Name: next})
	if err != nil {
		return session, "", err
	}
	return *resp.Session, resp.PreviousName, nil
}

// Label sets labels of the running session called name, removes those with the keys in remove, and returns the session. The
// error is ErrNoLabel if it has no label with one of the keys, and then nothing has changed.
func Label(ctx context.Context, dir ledger.Dir, name string, set map[string]string, remove []string) (session ledger.Session, err error) {
	resp, err := describe(ctx, dir, name, wire.Request{Op: wire.OpLabel, Labels: set, Unlabel: remove})
	if err != nil {
		return session, err
	}
	return *resp.Session, nil
}

// namingTime is how long a holder may take: it waits for the lock of the ledger a second at most, twice for a new name.
const namingTime = 5 * time.Second

// describe sends a request that changes what the session called name is called, and returns the answer.
func describe(ctx context.Context, dir ledger.Dir, name string, req wire.Request) (resp wire.Response, err error) {
	session, err := recorded(ctx, dir, name)
	switch {
	case err != nil:
		return resp, err
	case session.Ended():
		return resp, ledger.SessionError(name, wire.Ended(session))
	}
	client, err := Dial(dir, session)
	if err != nil {
		return resp, err
	}
	defer client.Close()
	soon, cancel := context.WithTimeout(ctx, namingTime)
	defer cancel()
	resp, err = client.Call(soon, req)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		err = ledger.SessionError(name, errNoNaming)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		err = ledger.SessionError(name, wire.ErrNoAnswer)
	}
	return resp, err
}
