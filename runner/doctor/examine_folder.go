package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"devtools/ledger"
	"devtools/ledger/regular"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/sandbox"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// runtimeChecks opens the door of a session for the state folder at path, as a holder does, and looks at those of others. What it
// makes it removes.
func runtimeChecks(path string, around sandbox.Sandbox) []Check {
	const name = "runtime folder"
	folder, _ := wire.RuntimePath() // Listen returns the error
	there := nearest(folder)
	for _, made := range wire.RuntimePaths() {
		above := nearest(made)
		defer func() { // a folder that is not empty has the socket of a session that has begun meanwhile
			for made != above && os.Remove(made) == nil {
				made = filepath.Dir(made)
			}
		}()
	}
	kept := keptIn(path)
	trial, _ := os.MkdirTemp(nearest(kept), ".doctor-") // a holder makes the state folder first, and the door may be in it
	defer os.RemoveAll(trial)
	state := cmp.Or(trial, kept)
	id := fmt.Sprintf("doctor%08x", rand.Uint32())
	door, err := wire.Listen(id, ledger.At(state))
	switch {
	case errors.Is(err, wire.ErrNoFolder):
		return []Check{{name, LevelFail, fmt.Sprintf("Only devtools run works here: %v.", err), "have " + the(around) + " allow writing to " + there + ", or set TMPDIR or XDG_RUNTIME_DIR to a folder of your own that can be written"}}
	case err != nil:
		return []Check{{name, LevelFail, fmt.Sprintf("No session can be started: %v.", err), "set XDG_RUNTIME_DIR to a folder that is yours alone"}}
	}
	used, fifo := filepath.Dir(door.Addr().String()), wire.IsFIFO(door)
	_ = door.Close() // it removes the door
	c := Check{Name: name, Level: LevelOK, Message: fmt.Sprintf("The folder for sockets, %s, is private.", used)}
	switch disk, err := ledger.DiskAt(used); {
	case used != folder:
		c.Level, c.Message = LevelNote, fmt.Sprintf("The folder for sockets, %s, cannot be used, and %s takes its place.", folder, strings.Replace(used, state, kept, 1))
	case there != folder:
		c.Message = fmt.Sprintf("The folder for sockets, %s, is made with the first session.", folder)
	case err == nil:
		disk.Remote = false // sockets work only on this machine, wherever their names are
		if space := spaceCheck(name, used, disk); space.Level != LevelOK {
			c = space
		}
	}
	return append([]Check{c}, doorChecks(filepath.Join(used, id), fifo, around)...)
}

// doorChecks tries the two kinds of doors at path. fifo says that a holder takes the second, because sockets are refused.
func doorChecks(path string, fifo bool, around sandbox.Sandbox) []Check {
	try := func(path string) error {
		door, err := wire.ListenAt(path)
		if err != nil {
			return cmp.Or(errors.Unwrap(err), err) // without the path
		}
		return door.Close()
	}
	sockets := socketCheck(filepath.Dir(path))
	if fifo {
		sockets = Check{"sockets", LevelNote, fmt.Sprintf("Sockets are refused here: %v. Sessions are reached by FIFOs, with every command, but not by an older devtools.", try(path)), "nothing, or allow " + cmp.Or(around.Allow, "sockets")}
	}
	second := Check{Name: "FIFO", Level: LevelOK, Message: "Where sockets are refused, sessions can be reached by FIFOs."}
	switch err := try(path + ".fifo"); {
	case errors.Is(err, errors.ErrUnsupported):
		return []Check{sockets}
	case err != nil:
		second.Level, second.Message = LevelNote, fmt.Sprintf("FIFOs cannot be made: %v. They are needed only where sockets are refused.", err)
	}
	return []Check{sockets, second}
}

// removedChecks names the sessions whose state folder was removed.
func removedChecks(ctx context.Context) (checks []Check) {
	for _, s := range census.Removed(ctx) {
		checks = append(checks, Check{
			"sessions", LevelNote,
			fmt.Sprintf("Session %q (%s) lives, but its files in %s were removed.", s.Name, s.ID, s.Folder),
			"the next call in its workspace adopts it; devtools kill " + s.ID + " ends it",
		})
	}
	return checks
}

// socketCheck looks for sockets without a listener.
func socketCheck(folder string) Check {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return Check{"sockets", LevelFail, fmt.Sprintf("The folder for sockets cannot be read: %v.", err), ""}
	}
	var stale []string
	listening := 0
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if entry.Type() != fs.ModeSocket && !strings.HasSuffix(path, ".fifo") {
			continue
		}
		switch err := wire.Knock(path); {
		case err == nil:
			listening++
		case errors.Is(err, wire.ConnectionRefused):
			stale = append(stale, path)
		}
	}
	if len(stale) == 0 {
		return Check{Name: "sockets", Level: LevelOK, Message: fmt.Sprintf("%s of sessions, with a holder that listens on each.", count(listening, "socket"))}
	}
	return Check{
		"sockets", LevelNote,
		fmt.Sprintf("Nobody listens on %s any more: %s.", count(len(stale), "socket"), some(stale)),
		"devtools ps removes those of its state folder; this removes all: rm " + strings.Join(stale[:min(len(stale), 20)], " "),
	}
}

// folderChecks looks at the state folder.
func folderChecks(path string) []Check {
	const name = "state folder"
	dir, err := ledger.Inspect(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // diskChecks says whether it can be made
	case errors.Is(err, ledger.ErrUnsafe):
		return []Check{{name, LevelFail, strings.ToUpper(err.Error()[:1]) + err.Error()[1:] + ".", "use another folder: --dir DIR or DEVTOOLS_DIR"}}
	case err != nil:
		return []Check{{name, LevelFail, fmt.Sprintf("The state folder cannot be examined: %v.", err), ""}}
	}
	c, err := dir.CheckUp()
	if err != nil {
		return []Check{{name, LevelFail, fmt.Sprintf("The state folder cannot be read: %v.", err), "check its owner and mode, or use another folder: --dir DIR"}}
	}
	size := Check{Name: name, Level: LevelOK, Message: fmt.Sprintf("%s has %s of %s.", path, BytesText(c.Bytes), count(c.Sessions, "session"))}
	if c.FinishedBytes >= muchFinished {
		size.Level, size.Fix = LevelNote, "devtools prune removes finished sessions"
	}
	if c.Finished > 0 {
		size.Message = fmt.Sprintf("%s has %s, of which %s are of %s.", path, BytesText(c.Bytes), BytesText(c.FinishedBytes), count(c.Finished, "finished session"))
	}
	if c.Examined < c.Sessions {
		size.Message += fmt.Sprintf(" %s not examined.", was(c.Sessions-c.Examined, "older session"))
	}
	checks := append([]Check{size}, recordChecks(dir, c)...)
	if c.Unlocked {
		return checks
	}
	return append(checks, sessionChecks(dir)...)
}

// muchFinished is the size of finished sessions from which on doctor mentions it, in bytes.
const muchFinished = 256 << 20

// recordChecks reports damaged records.
func recordChecks(dir ledger.Dir, c ledger.Checkup) []Check {
	var checks []Check
	add := func(level Level, fix, format string, args ...any) {
		checks = append(checks, Check{"records", level, fmt.Sprintf(format, args...), fix})
	}
	at := func(folder string, names []string) string {
		var paths []string
		for _, name := range names[:min(len(names), 20)] {
			paths = append(paths, filepath.Join(dir.Path(), folder, name))
		}
		return strings.Join(paths, " ")
	}
	if len(c.Damaged) > 0 {
		add(LevelFail, "devtools ps --all sets damaged files aside; what is not a regular file must be removed by hand", "%s cannot be read: %s.", count(len(c.Damaged), "file"), some(c.Damaged))
	}
	if len(c.Unlisted) > 0 {
		add(LevelFail, "devtools ps writes a new one; if it does not, this lists the holders: fuser "+at("sessions", c.Unlisted), "%s without a record: %s.", count(len(c.Unlisted), "living session"), some(c.Unlisted))
	}
	if len(c.SetAside) > 0 {
		add(LevelNote, "examine them, then remove them: rm "+at("", c.SetAside), "%s found damaged, and set aside: %s.", was(len(c.SetAside), "file"), some(c.SetAside))
	}
	sockets := wire.SocketsOf(dir.Path()) // a session that lives has one, and its folder is adopted
	c.Homeless = slices.DeleteFunc(c.Homeless, func(id string) bool {
		return slices.ContainsFunc(sockets, func(socket string) bool { return wire.SessionOf(socket) == id })
	})
	if len(c.Homeless) > 0 {
		add(LevelNote, "rm -r "+at("sessions", c.Homeless), "%s of sessions without a record: %s.", count(len(c.Homeless), "folder"), some(c.Homeless))
	}
	if len(c.Litter) > 0 {
		add(LevelNote, "rm -r "+at("", c.Litter), "%s left by an unfinished write: %s.", was(len(c.Litter), "file"), some(c.Litter))
	}
	if len(checks) == 0 {
		checks = []Check{{Name: "records", Level: LevelOK, Message: "All records can be read."}}
		if c.Examined < c.Sessions {
			checks[0].Message = fmt.Sprintf("The records of the newest %s can be read.", count(c.Examined, "session"))
		}
	}
	log := Check{Name: "event log", Level: LevelOK, Message: fmt.Sprintf("The log has %s.", count(c.EventLines, "event"))}
	switch {
	case c.DamagedEvents > 0:
		log.Level, log.Message = LevelWarn, fmt.Sprintf("%s of the log cannot be read, and %s can.", count(c.DamagedEvents, "line"), count(c.EventLines, "event"))
		log.Fix = "nothing to do: devtools skips them"
	case c.TornEvent:
		log.Level, log.Message = LevelNote, fmt.Sprintf("The last line of the log is incomplete, probably after a crash, and the next write repairs it. The log has %s.", count(c.EventLines, "event"))
	}
	return append(checks, log)
}

// sessionChecks reports sessions that are not as they should be.
func sessionChecks(dir ledger.Dir) []Check {
	a, err := dir.Active()
	if err != nil {
		return []Check{{"sessions", LevelFail, fmt.Sprintf("The running sessions cannot be read: %v.", err), ""}}
	}
	var unsettled, orphaned, copied, stopped, old []string
	var stoppedPIDs []string
	var unheld []ledger.Session
	held := 0
	for _, s := range a.Sessions {
		switch {
		case dir.Held(s.ID):
			held++
			info, err := proc.Read(s.Holder.PID)
			if err != nil || !track.Identity(s.Holder).Alive() {
				continue // the holder is just ending
			}
			if info.State == 'T' || info.State == 't' {
				stopped, stoppedPIDs = append(stopped, s.Name), append(stoppedPIDs, fmt.Sprint(s.Holder.PID))
			}
			if proc.OldBuild(s.Holder.PID) {
				old = append(old, s.Name)
			}
		case dir.Copied(s), census.Foreign(s):
			copied = append(copied, s.Name)
		default:
			unheld = append(unheld, s)
		}
	}
	for i, living := range census.Survivors(dir, unheld) {
		if len(living) > 0 {
			orphaned = append(orphaned, unheld[i].Name)
		} else {
			unsettled = append(unsettled, unheld[i].Name)
		}
	}
	var checks []Check
	add := func(names []string, level Level, fix, format string) {
		if len(names) > 0 {
			slices.Sort(names)
			checks = append(checks, Check{"sessions", level, fmt.Sprintf(format, some(names)), fix})
		}
	}
	add(stopped, LevelWarn, "kill -CONT "+strings.Join(stoppedPIDs, " "), "The holders of these sessions are stopped and do not answer: %s.")
	add(orphaned, LevelWarn, "devtools kill-orphans ends them", "These sessions have lost their holders, and their processes still run: %s.")
	add(unsettled, LevelNote, "devtools ps closes them", "These sessions ended without their holders, and are not closed yet: %s.")
	add(copied, LevelNote, "remove this copy, or go to the folder where they were started", "The holders of these sessions use another folder, and this one seems to be a copy of it: %s.")
	add(old, LevelNote, "nothing to do: new sessions use the new build", "The holders of these sessions are of another build of devtools than the installed one: %s.")
	if len(checks) == 0 {
		checks = []Check{{Name: "sessions", Level: LevelOK, Message: count(held, "running session") + ", and a holder for each."}}
	}
	return checks
}

// WhyFolder says why the state folder at path is used although the user has not named one.
func WhyFolder(path string) string {
	parent := filepath.Dir(path)
	if _, err := os.Lstat(path); err == nil {
		return "it is the nearest one at or above the working directory"
	}
	if regular.Repository(parent) {
		return "it is beside the nearest .git, and does not exist yet"
	}
	return "it is in the working directory, and does not exist yet"
}
