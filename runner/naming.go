package runner

import (
	"context"
	"errors"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// Rename gives the running session called name the name next, and returns it, with the name that it had. The error is
// ErrNameTaken if another session has the name next, and ErrNoSession if another call has renamed it meanwhile. Then nothing has
// changed.
func Rename(ctx context.Context, dir ledger.Dir, name, next string) (session ledger.Session, was string, err error) {
	resp, err := describe(ctx, dir, name, wire.Request{Op: wire.OpRename, Name: next, Was: name})
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

// describe sends a request that changes what the session called name is called, and returns the answer. One that is started again
// meanwhile gets it.
func describe(ctx context.Context, dir ledger.Dir, name string, req wire.Request) (resp wire.Response, err error) {
	found, err := dir.Session(name) // as it lives, for RestartedAs
	if err != nil {
		return resp, err
	}
	session, err := recorded(ctx, dir, found.ID)
	if err != nil {
		return resp, asNamed(err, name)
	}
	if req.Was == session.ID {
		req.Was = ""
	}
	for {
		if session.Ended() && session.Closed && session.RestartAt.IsZero() { // else its holder knows whether it is started again
			err = ledger.SessionError(name, wire.ErrEnded)
		} else {
			resp, err = describeIt(ctx, dir, session, req)
		}
		if !errors.Is(err, wire.ErrEnded) && !errors.Is(err, wire.ErrHolderGone) {
			return resp, err
		}
		next, ok := RestartedAs(dir, found)
		if !ok {
			return resp, err
		}
		session, found = next, next
	}
}

// describeIt sends the request to the holder of one session.
func describeIt(ctx context.Context, dir ledger.Dir, session ledger.Session, req wire.Request) (resp wire.Response, err error) {
	client, err := Dial(dir, session)
	if err != nil {
		return resp, err
	}
	defer client.Close()
	soon, cancel := context.WithTimeout(ctx, namingTime)
	defer cancel()
	resp, err = client.Call(soon, req)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = ledger.SessionError(session.Name, wire.ErrNoAnswer)
	}
	return resp, err
}
