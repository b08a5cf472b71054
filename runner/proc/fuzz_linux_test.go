package proc

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// The files about control groups and mounts are written by the kernel, but other users choose the paths in them.
func FuzzCgroupFiles(f *testing.F) {
	f.Add("/sys/fs/cgroup/uni fied", "/a\tb", "/a\tb/c", true)
	f.Add(`/x\040y`, "/", "/devtools-\\x", false)
	f.Fuzz(func(t *testing.T, mounted, root, group string, version2 bool) {
		escape := strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)
		kind, line := "cgroup2 cgroup2 rw", "0::"
		if !version2 {
			kind, line = "cgroup cgroup rw,cpu,freezer", "7:cpu,freezer:"
		}
		found := cgroupHierarchies("33 32 0:29 " + escape.Replace(root) + " " + escape.Replace(mounted) + " rw - " + kind + "\n")
		if plain := strings.Trim(mounted+root, "abcdefghijklmnopqrstuvwxyz/ \t\n\\") == "" && mounted != "" && root != ""; plain {
			if len(found) != 1 || found[0].path != mounted || found[0].version2 != version2 {
				t.Fatalf("%q in %q: %+v", root, mounted, found)
			}
		}
		for _, h := range append(found, cgroupHierarchies(mounted+"\n"+group)...) {
			path, ok := h.groupIn(line + group + "\n")
			if ok && !strings.Contains(group, "\n") && h.version2 == version2 && path != group {
				t.Errorf("the group is %q, not %q", path, group)
			}
			if folder := h.folder(path); !strings.HasPrefix(h.path+"/", folder) && !strings.HasPrefix(folder, strings.TrimSuffix(h.path, "/")) {
				t.Errorf("%q is not below %q", folder, h.path)
			}
		}
	})
}

// The arguments of a process are what stands in its memory, up to a limit: a process may write there what it likes.
func FuzzSplitArgs(f *testing.F) {
	f.Add([]byte("sh\x00-c\x00\x00"))
	f.Add([]byte("a title without an end"))
	f.Fuzz(func(t *testing.T, line []byte) {
		args := splitArgs(line)
		joined := strings.Join(args, "\x00")
		want := bytes.TrimSuffix(line[:min(len(line), MaxCommandLine)], []byte{0})
		if joined != string(want) || len(line) > 0 && len(args) == 0 {
			t.Errorf("%q is %q", line, args)
		}
	})
}

// A variable is found as env(1) prints it: the first of that name counts.
func FuzzEnviron(f *testing.F) {
	f.Add([]byte("A=b\x00DEVTOOLS_SESSION=6an1wwf0d8\x00DEVTOOLS_SESSION=x\x00"), "DEVTOOLS_SESSION")
	f.Add([]byte("=\x00=x\x00A"), "")
	f.Fuzz(func(t *testing.T, environ []byte, name string) {
		value, ok := variableIn(environ, name)
		if strings.ContainsAny(name, "=\x00") {
			if ok {
				t.Errorf("%q has the variable %q", environ, name)
			}
			return
		}
		pairs := strings.Split(string(environ), "\x00")
		i := slices.IndexFunc(pairs, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
		if ok != (i >= 0) || ok && pairs[i] != name+"="+value {
			t.Errorf("%q: %s is %q, %v", environ, name, value, ok)
		}
	})
}

// A label is found at the beginning of a line only: the name of a program is in such a file too.
func FuzzField(f *testing.F) {
	f.Add([]byte("Name:\tx\nSigIgn:\t0000000000001000\nTracerPid:\t0"), "SigIgn:")
	f.Add([]byte("wchar: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n"), "write_bytes:")
	f.Fuzz(func(t *testing.T, data []byte, label string) {
		got := Field(data, label)
		if label == "" || strings.Contains(label, "\n") {
			return
		}
		want := ""
		for _, line := range strings.Split(string(data), "\n") {
			if rest, ok := strings.CutPrefix(line, label); ok {
				want = strings.TrimSpace(rest)
				break
			}
		}
		if got != want {
			t.Errorf("%q in %q is %q, not %q", label, data, got, want)
		}
	})
}
