// Package isolation limits what the program of a session can reach. At the level high it can write only below a few folders,
// signals no process outside its session, and connects to no socket outside it but, if that is allowed, over the network.
package isolation

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"devtools/runner/fork"
)

// The levels, each with what those before it have.
const (
	None   = "none"   // nothing is checked
	Basic  = "basic"  // a relative working directory is within the workspace
	Medium = "medium" // no core dumps; a profile's hygiene of the environment
	High   = "high"   // write access, signals and sockets are limited
)

// Levels lists the levels, the weakest first.
var Levels = []string{None, Basic, Medium, High}

// What a program at the level high may do in the network.
const (
	NetNone    = "none"    // it has a network of its own, with nothing in it but itself
	NetConnect = "connect" // it listens for no connection
	NetAll     = "all"     // it is not limited
)

// Nets lists what a program may do in the network.
var Nets = []string{NetNone, NetConnect, NetAll}

// ErrUnavailable says that this system cannot do what a level promises.
var ErrUnavailable = errors.New("isolation high is not possible here")

// ErrPinned says that the policy of the machine, or that of the user, pins the isolation above what was asked for.
var ErrPinned = errors.New("the isolation is pinned")

// Rules say how a session is isolated. nil stands for the level medium.
type Rules struct {
	Level         string   `json:"level"`
	Workspace     string   `json:"workspace,omitzero" codec:"bytes"` // folder that the program may write to; as of Resolve. Only high has it, as all that follows
	AllowWrite    []string `json:"write,omitempty" codec:"bytes"`    // other files and folders that it may write to; as of Resolve
	Net           string   `json:"net,omitzero"`                     // NetNone, NetConnect or NetAll
	DenyRead      []string `json:"unseen,omitempty" codec:"bytes"`   // files and folders that it sees empty; as of Resolve
	KeptVariables []string `json:"given,omitempty" codec:"bytes"`    // names of variables that the caller has set, which stay as they are
}

// LevelOf returns the level of rules, which may be nil.
func LevelOf(r *Rules) string {
	if r == nil {
		return Medium
	}
	return r.Level
}

// Surroundings are what a session at the level high has around it. All paths are absolute.
type Surroundings struct {
	Private []string // folders that it may not write to although they may lie below one that it may: those of devtools itself
	Locks   []string // files that it may not lock: the locks of devtools
	Temp    string   // its own temporary folder
	Caches  string   // folder for the caches of its workspace
	Layers  []Layer  // folders of the user that it sees together with folders of the caches
	Cwd     string   // its working directory
	Device  string   // device of its terminal, or ""
	fork.Settings
}

// A Layer is a folder of the user whose content a program sees, read-only, together with that of the folder At of its caches.
type Layer struct{ Own, At string }

// A Support says what the kernel has of what the level high needs.
type Support struct {
	Landlock   int   // version, or 0
	Needed     int   // version that is needed; 0: no version would be enough here
	Namespaces error // why this user can make no namespaces; nil: they can
	Seccomp    error // why there are no filters of system calls; nil: there are
	High       error // why the level high does not work; nil: it works
}

// Within reports whether path is folder or lies below it. Both are absolute; links in them are followed as far as the path exists.
func Within(path, folder string) bool {
	return below(Resolve(path), Resolve(folder))
}

// below reports whether a path is folder or lies below it, by their names.
func below(path, folder string) bool {
	return path == folder || folder == "/" || strings.HasPrefix(path, folder+string(filepath.Separator))
}

// Resolve follows the links in the part of path that exists.
func Resolve(path string) string {
	path = filepath.Clean(path)
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// outermost returns the paths, resolved, without those that lie below another of them.
func outermost(paths []string) (kept []string) {
	var all []string
	for _, path := range paths {
		if path != "" {
			all = append(all, Resolve(path))
		}
	}
	slices.Sort(all)
	for _, path := range all {
		if !slices.ContainsFunc(kept, func(folder string) bool { return below(path, folder) }) {
			kept = append(kept, path)
		}
	}
	return kept
}
