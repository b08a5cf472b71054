package isolation

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// cacheTable has the variables that move the caches of programs to a folder that they may write to.
//
//go:embed caches.txt
var cacheTable string

// secretTable has the patterns of variables that a program does not get from an agent.
//
//go:embed secret_variables.txt
var secretTable string

// agentTable has the variables by which agents mark the programs that they start.
//
//go:embed agents.txt
var agentTable string

// rows returns the words of each line of a table that is no comment.
func rows(table string) (list [][]string) {
	for line := range strings.Lines(table) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			list = append(list, words)
		}
	}
	return list
}

// Agent returns the name of a variable in env by which an agent has marked this program as its own, or "".
func Agent(env []string) string {
	for _, row := range rows(agentTable) {
		if lookup(env, row[0]) != "" {
			return row[0]
		}
	}
	return ""
}

// WithoutSecrets returns the environment without the variables that seem to have secrets, or that say how an agent itself works,
// and the sorted names of those that seem to have secrets. A variable whose name is in keep stays.
func WithoutSecrets(env, keep []string) (rest, secret []string) {
	patterns := rows(secretTable)
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		why := "keep"
		if !slices.Contains(keep, name) {
			why = kindOf(patterns, strings.ReplaceAll(strings.ToUpper(name), "/", "_"), value)
		}
		switch why {
		case "keep":
			rest = append(rest, pair)
		case "secret":
			secret = append(secret, name)
		}
	}
	slices.Sort(secret)
	return rest, secret
}

// kindOf returns "secret", "agent" or "keep" for a variable.
func kindOf(patterns [][]string, name, value string) string {
	for _, row := range patterns {
		if matched, _ := path.Match(row[0], name); !matched { // a test looks at the patterns
			continue
		}
		switch when := append(row, "")[1]; {
		case when == "":
			return "secret"
		case when == "login" && hasLogin(value), when == "url" && hasPassword(value):
			return "secret"
		case when == "path" && filepath.IsAbs(value):
			return "keep"
		case when == "keep", when == "agent":
			return when
		}
	}
	return "keep"
}

// hasLogin reports whether a value says where a server is, and has a password for it: in a URL, as jdbc: has it behind the ?, or as
// USER:PASSWORD@ without a scheme.
func hasLogin(value string) bool {
	if lower := strings.ToLower(value); strings.Contains(lower, "password=") || strings.Contains(lower, "pwd=") {
		return true
	}
	return hasPassword(value) || hasPassword("://"+value)
}

// hasPassword reports whether one of the URLs in a value has a password for its server.
func hasPassword(value string) bool {
	return slices.ContainsFunc(strings.Split(value, "://")[1:], func(rest string) bool {
		host, _, _ := strings.Cut(rest, "/")
		_, password, _ := strings.Cut(host[:max(0, strings.LastIndex(host, "@"))], ":")
		return password != ""
	})
}

// Caches returns the folder for the caches of a workspace, which need not exist: it is in the cache folder of the user whose
// environment this is, or "" if that has none.
func Caches(env []string, workspace string) string {
	base := lookup(env, "XDG_CACHE_HOME")
	if home := lookup(env, "HOME"); !filepath.IsAbs(base) && filepath.IsAbs(home) {
		base = filepath.Join(home, ".cache")
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	name := fnv.New64a()
	_, _ = name.Write([]byte(Resolve(workspace))) // a hash takes all
	return filepath.Join(base, "devtools", "isolated", fmt.Sprintf("%016x", name.Sum64()))
}

// Environment returns the environment of a program at the level high: programs put their temporary files into its own folder, and
// their caches into those of the workspace.
func (r *Rules) Environment(env []string, p Surroundings) []string {
	set := []string{"TMPDIR=" + p.Temp}
	for _, row := range rows(cacheTable) {
		name, when, value := row[0], row[1], row[2]
		if when != "always" && (when == "offline") != (r.Net == NetNone) {
			continue
		}
		if folder, ok := strings.CutPrefix(value, "@"); ok {
			value = filepath.Join(p.Caches, folder)
		}
		set = append(set, name+"="+value)
	}
	if proxy := goProxy(env); proxy != "" {
		set = append(set, "GOPROXY="+proxy)
	}
	set = slices.DeleteFunc(set, func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(r.KeptVariables, name)
	})
	rest := slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.ContainsFunc(set, func(other string) bool { return strings.HasPrefix(other, name+"=") })
	})
	return append(rest, set...)
}

// Own makes in the caches of a workspace what the table takes from the user's own folders: links to it, and places for the layers,
// which it returns. A link that a program has put into the caches leads it nowhere else.
func (r *Rules) Own(env []string, caches string) (layers []Layer, err error) {
	root, err := os.OpenRoot(caches)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, row := range rows(cacheTable) {
		if len(row) < 4 || slices.Contains(r.KeptVariables, row[0]) {
			continue
		}
		own, folder := ownFolder(env, row[0], row[3]), strings.TrimPrefix(row[2], "@")
		for _, name := range row[4:] {
			name, layered := strings.CutPrefix(name, "+")
			from, to := filepath.Join(own, name), filepath.Join(folder, name)
			if _, missing := os.Stat(from); missing != nil || !filepath.IsAbs(own) || Within(own, caches) || layered && r.Net != NetNone {
				continue
			}
			if layered {
				err = errors.Join(err, root.MkdirAll(to, 0o700))
				layers = append(layers, Layer{from, filepath.Join(caches, to)})
				continue
			}
			if at, _ := root.Readlink(to); at != from { // the user's folder was another one, or a program has put a file there
				_ = root.Remove(to)
			}
			if failed := errors.Join(root.MkdirAll(folder, 0o700), root.Symlink(from, to)); !errors.Is(failed, fs.ErrExist) {
				err = errors.Join(err, failed)
			}
		}
	}
	if err != nil {
		err = fmt.Errorf("isolation high: the caches in %s: %w", caches, err)
	}
	return layers, err
}

// ownFolder returns the user's folder that a variable names, the first of several, or else the one with a name in the home folder.
func ownFolder(env []string, variable, name string) string {
	own, _, _ := strings.Cut(lookup(env, variable), string(filepath.ListSeparator))
	if home := lookup(env, "HOME"); own == "" && home != "" {
		own = filepath.Join(home, name)
	}
	return own
}

// goProxy returns the value of GOPROXY with which go takes modules from the user's cache of them first: the cache has the form of
// a proxy, https://go.dev/ref/mod#module-cache. It is "" if the user has no cache, or chooses proxies in another way.
func goProxy(env []string) string {
	gopath := ownFolder(env, "GOPATH", "go")
	cache := lookup(env, "GOMODCACHE")
	if cache == "" && gopath != "" {
		cache = filepath.Join(gopath, "pkg", "mod")
	}
	download := filepath.Join(cache, "cache", "download")
	if info, err := os.Stat(download); !filepath.IsAbs(download) || err != nil || !info.IsDir() {
		return ""
	}
	return "file://" + filepath.ToSlash(download) + "," + cmp.Or(lookup(env, "GOPROXY"), goSetting(env, "GOPROXY"), "https://proxy.golang.org,direct")
}

// goSetting returns the value that go env -w has given a variable, or "".
func goSetting(env []string, name string) string {
	path := lookup(env, "GOENV")
	if path == "" {
		path = filepath.Join(filepath.Dir(Settings(env)), "go", "env")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return lookup(strings.Split(string(data), "\n"), name)
}

// lookup returns the value of a variable, or "".
func lookup(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// Settings returns the folder with the user's own settings of devtools, which need not exist, or "".
func Settings(env []string) string {
	base := lookup(env, "XDG_CONFIG_HOME")
	if home := lookup(env, "HOME"); !filepath.IsAbs(base) && filepath.IsAbs(home) {
		base = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, "devtools")
}
