package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"devtools/ledger"
	"devtools/runner/guard/isolation"
	"devtools/runner/proc"
)

// acrossSocket returns the error that a client gets for an error of the holder.
func acrossSocket(t *testing.T, err error) error {
	t.Helper()
	line, marshalErr := json.Marshal(NewFault(err))
	if marshalErr != nil {
		t.Fatal(marshalErr)
	}
	var fault Fault
	if err := json.Unmarshal(line, &fault); err != nil {
		t.Fatal(err)
	}
	return fault.Err()
}

// Each error that a holder gives keeps its identity and its text, and is none of the others.
func TestFaultsKeepIdentity(t *testing.T) {
	sent := []error{
		ErrNameTaken, ErrNoTerminal, ErrHasTerminal, ErrNotPiped, ErrInputClosed, ErrInputFull, ErrEnded, ErrNoDescriptors, ErrManyClients, ErrTooMany, ErrWithdrawn, ErrNoShell, ErrHalfTyped, ErrBusy, ErrIncomplete, ErrNotSet,
		ErrAnswered, ErrNoCapture, ErrNoTether, ErrNoLabel, ledger.ErrNoSession, ledger.ErrBadName, ErrScreenChanged, ErrNotTyped, ErrWithheld, ErrNotRead, ErrProgramEnded, ErrTypedBefore, ErrConfined, ErrUnreachable,
		proc.ErrNotFound, proc.ErrNotExecutable, proc.ErrNoProcess, ErrOlder,
		proc.ErrNoFork, proc.ErrNoTerminal, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, isolation.ErrUnavailable, isolation.ErrPinned, ErrNoFolder, proc.ErrTerminalRefused,
	}
	for _, one := range sent {
		told := fmt.Errorf("session %q: %w: more of it", "web", one)
		got := acrossSocket(t, told)
		if got.Error() != told.Error() {
			t.Errorf("%q became %q", told, got)
		}
		for _, other := range sent {
			if errors.Is(got, other) != (one == other) {
				t.Errorf("%q is %q: %v", got, other, errors.Is(got, other))
			}
		}
	}
	if len(faults) != len(sent) {
		t.Errorf("%d errors cross the socket, %d were tried", len(faults), len(sent))
	}
}

// What clients find out themselves, and what an older client does not know, is an error with its text.
func TestFaultsOfNoKind(t *testing.T) {
	got := acrossSocket(t, fmt.Errorf("x: %w", ErrTimeout))
	if got.Error() != "x: timed out" || errors.Is(got, ErrTimeout) {
		t.Errorf("%q, is a timeout: %v", got, errors.Is(got, ErrTimeout))
	}
	if got := (&Fault{Kind: "of the future", Message: "no such luck"}).Err(); got.Error() != "no such luck" {
		t.Errorf("%q", got)
	}
}

// The session of an error crosses the socket with it. What an older holder sends has none.
func TestFaultsKeepSession(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{ledger.SessionError("web", ErrBusy), "web"},
		{ledger.SessionError("web", fmt.Errorf("%w: more of it", ErrEnded)), "web"},
		{ledger.SessionError("web", errors.New("of no kind")), "web"},
		{fmt.Errorf("capture: %w", ledger.SessionError("web", ErrEnded)), ""}, // its text does not begin with the session
		{ErrBusy, ""},
	} {
		got := acrossSocket(t, c.err)
		if name := ledger.SessionOf(got); name != c.want || got.Error() != c.err.Error() {
			t.Errorf("%q became %q of the session %q, want %q", c.err, got, name, c.want)
		}
	}
	if got := (&Fault{Kind: "busy", Message: `session "web": is busy`}).Err(); ledger.SessionOf(got) != "" || !errors.Is(got, ErrBusy) {
		t.Errorf("%q, of the session %q", got, ledger.SessionOf(got))
	}
}
