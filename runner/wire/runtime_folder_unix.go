//go:build unix

package wire

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// maxSocketPath is the maximum length of a socket address on every system: sun_path of unix(7) and of
// macOS, without the NUL.
const maxSocketPath = 103

// RuntimePath returns the path of the folder for sockets. It does not create the folder.
func RuntimePath() (string, error) {
	folder, ok := userFolder()
	switch {
	case !ok || wipedAtLogout(filepath.Dir(folder)):
		return temporaryFolder(), nil
	case !fits(folder):
		return temporaryFolderIn("/tmp"), nil
	}
	return folder, nil
}

// RuntimePaths returns the folders in which sockets of this user may be: that of this environment, and those of holders that an
// older devtools has started or that had another one, as from cron(8). Those of another TMPDIR are not known.
func RuntimePaths() []string {
	paths := append(runtimeOthers(), filepath.Join(loginFolder(), "devtools"))
	if folder, err := RuntimePath(); err == nil {
		paths = append(paths, folder)
	}
	if folder, ok := userFolder(); ok {
		paths = append(paths, folder)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// runtimeOthers returns the folders that may take the place of RuntimePath, best first.
func runtimeOthers() []string { return []string{temporaryFolder(), temporaryFolderIn("/tmp")} }

// loginFolder returns the folder that a login has for XDG_RUNTIME_DIR, pam_systemd(8).
func loginFolder() string { return fmt.Sprintf("/run/user/%d", os.Getuid()) }

// userFolder returns the folder for sockets in $XDG_RUNTIME_DIR. ok is false if there is no such private folder.
func userFolder() (folder string, ok bool) {
	base := os.Getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(base) {
		return "", false
	}
	info, err := os.Stat(base)
	folder = filepath.Join(base, "devtools")
	return folder, err == nil && info.IsDir() && Private(info) == nil
}

// lingering has a file for each user whose processes and runtime folder outlive a logout, loginctl(1).
const lingering = "/var/lib/systemd/linger/"

// wipedAtLogout reports whether systemd deletes the folder base when the user's last login ends, pam_systemd(8). Processes
// go on then, unless they are told to end (KillUserProcesses, logind.conf(5)).
func wipedAtLogout(base string) bool {
	if filepath.Clean(base) != loginFolder() {
		return false
	}
	name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME"))
	_, err := os.Stat(lingering + name)
	return name == "" || err != nil
}

// temporaryFolder returns the folder for sockets in the folder for temporary files.
func temporaryFolder() string {
	folder := temporaryFolderIn(os.TempDir())
	if !filepath.IsAbs(folder) || !fits(folder) { // the holder and its clients may have different working directories
		folder = temporaryFolderIn("/tmp")
	}
	return folder
}

func temporaryFolderIn(base string) string {
	return filepath.Join(base, fmt.Sprintf("devtools-%d", os.Getuid()))
}

// fits reports whether the paths of sockets in the folder are short enough.
func fits(folder string) bool { return len(folder)+32 <= maxSocketPath }

// Private returns an error unless the folder belongs to this user and is closed to others.
func Private(info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return errors.New("belongs to another user")
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("is open to other users (mode %04o)", mode)
	}
	return nil
}

// ConnectionRefused is the error of connecting to a socket without a listener, connect(2).
const ConnectionRefused = syscall.ECONNREFUSED

// connectionReset and brokenPipe are the errors of a connection whose other end is gone.
const (
	connectionReset = syscall.ECONNRESET
	brokenPipe      = syscall.EPIPE
)
