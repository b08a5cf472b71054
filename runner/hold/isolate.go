package hold

import (
	"cmp"
	"os"
	"path/filepath"

	"devtools/ledger"
	"devtools/runner/guard"
	"devtools/runner/guard/isolation"
	"devtools/runner/pty"
)

// isolate prepares what the isolation of the session needs before its program starts. At the level high, the program gets a
// temporary folder of its own, and its workspace a folder for caches.
func (h *holder) isolate() (err error) {
	rules, env := h.spec.Isolation, h.spec.Env
	pins, err := guard.LoadPins(h.spec.Agent)
	if err = cmp.Or(err, pins.Check(rules)); err != nil {
		return err
	}
	if len(pins) > 0 { // the caller chooses no folder that the program may write to
		env = []string{"HOME=" + guard.OwnHome()}
	}
	level := isolation.LevelOf(rules)
	if secret := len(h.spec.Secrets) > 0; secret || level == isolation.Medium || level == isolation.High {
		isolation.NoCores(secret) // a core dump of the program, or of the holder, has the values of secrets
	}
	if level != isolation.Medium {
		h.session.Isolation = level
	}
	if level != isolation.High {
		return nil
	}
	if err := isolation.Check(); err != nil {
		return err
	}
	if h.session.TempFolder, err = isolation.MakeTemp(env, h.session.ID); err != nil {
		h.session.TempFolder = ""
		return err
	}
	p := isolation.Surroundings{Temp: h.session.TempFolder, Caches: isolation.Caches(env, rules.Workspace), Cwd: h.spec.Cwd, Settings: settingsOf(h.spec)}
	if p.Caches == "" || os.MkdirAll(p.Caches, 0o700) != nil { // a user without a home folder, or with one that cannot be written
		p.Caches = filepath.Join(p.Temp, "caches")
		if err := os.Mkdir(p.Caches, 0o700); err != nil {
			return err
		}
	}
	if p.Layers, err = rules.Own(env, p.Caches); err != nil {
		return err
	}
	folders := []string{h.dir.Place()}
	if own := filepath.Join(rules.Workspace, ledger.FolderName); ledger.Find(rules.Workspace) == own { // an empty one would hide one above
		folders = append(folders, own)
	}
	for _, folder := range folders {
		p.Locks = append(p.Locks, ledger.LockOf(folder))
	}
	if h.session.Socket != "" {
		folders = append(folders, filepath.Dir(h.session.Socket))
	}
	p.Private = append(folders,
		isolation.Settings(os.Environ()), isolation.Settings(h.spec.Env), // the caller's, and those of calls with this environment
		isolation.Settings(env), filepath.Dir(guard.MachineFile))
	h.spec.Env = rules.Environment(h.spec.Env, p)
	h.place = p
	return nil
}

// isolated reports whether the program is at the level high.
func (c *core) isolated() bool { return isolation.LevelOf(c.spec.Isolation) == isolation.High }

// unreachable reports whether an isolated shell could not open the files with its commands: they are in the holder's memory.
func (c *core) unreachable() bool { return inMemory(&c.spec) }

// removeTemp removes the temporary folder of the session.
func (h *holder) removeTemp() {
	h.note(isolation.RemoveTemp(h.session.TempFolder, h.session.ID))
}

// options describes the program to start.
func (h *holder) options() pty.Options {
	opts := optionsOf(h.spec)
	if !h.isolated() {
		return opts
	}
	opts.Isolate = func(device string) (pty.ForkFunc, func(), error) {
		h.place.Device = device
		plan, err := isolation.Prepare(h.spec.Isolation, h.place)
		if err != nil {
			return nil, nil, err
		}
		return plan.Start, plan.Close, nil
	}
	return opts
}
