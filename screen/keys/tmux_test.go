//go:build unix

package keys

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// need returns the path of a program that the test needs. On CI a missing program fails the test.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed, see .ci/run", program)
		}
		t.Skipf("%s is not installed", program)
	}
	return path
}

const patience = 60 * time.Second

// tmuxKeys are the keys that tmux 3.3 has, in its notation and in ours.
const tmuxKeys = `Up Down Left Right Home End PageUp PgUp PPage PageDown PgDn NPage Insert IC Delete DC BSpace Tab BTab
	Enter Escape Space F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12
	KP0 KP1 KP2 KP3 KP4 KP5 KP6 KP7 KP8 KP9 KPEnter KP+ KP- KP* KP/ KP.
	C-a C-c ^C C-C C-i C-j C-m C-z C-Space C-@ C-? C-/ C-_ C-- C-2 C-6 C-[ C-] C-\ C-^ ^Up ^a
	M-x M-X M-1 M-[ M-O M-é M-Space M-Tab M-Enter M-Escape M-BSpace M-BTab M-KP5 M-C-a C-M-a C-M-[ C-M-Space
	S-Up C-Up M-Up C-S-Up M-S-Up C-M-Down C-M-S-Left S-Home C-End M-PageUp C-Delete S-Insert S-F1 M-F4 C-F5 C-M-S-F12
	a A é € [ ] { } < > ^ ls -l git`

// otherwise are the keys for which tmux sends something else. Its panes are terminals of the type
// screen or tmux, and ours is xterm-256color. Programs go by the terminfo of that type.
var otherwise = map[string]string{
	"Home":    "khome of xterm-256color is CSI H and SS3 H, in tmux CSI 1 ~",
	"End":     "kend of xterm-256color is CSI F and SS3 F, in tmux CSI 4 ~",
	"KPEnter": "xterm sends CR when the keypad is numeric, tmux LF",
}

func TestAsTmux(t *testing.T) {
	tmux := need(t, "tmux")
	for name, test := range map[string]struct {
		set   string
		modes Modes
		same  string // keys of otherwise for which tmux sends the same in these modes
	}{
		"normal":      {"", Modes{}, ""},
		"application": {`\033[?1h\033=`, application, "KPEnter"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "tmux")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			run := func(args ...string) string {
				t.Helper()
				cmd := exec.Command(tmux, append([]string{"-S", filepath.Join(dir, "s"), "-f", "/dev/null"}, args...)...)
				cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("tmux %q: %v, %s", args, err, out)
				}
				return string(out)
			}
			file := filepath.Join(dir, "typed")
			run("new-session", "-d", "-x", "80", "-y", "24", "stty raw -echo; printf '"+test.set+"ready'; exec cat > "+file)
			t.Cleanup(func() { run("kill-server") })
			await(t, func() bool { return strings.Contains(run("capture-pane", "-p"), "ready") })

			list, end := strings.Fields(tmuxKeys), "␟␟"
			var args []string
			for _, key := range list {
				args = append(args, "send-keys", "--", key, ";", "send-keys", "-l", end, ";")
			}
			run(args[:len(args)-1]...)
			var typed []byte
			await(t, func() bool {
				if typed, err = os.ReadFile(file); err != nil && !errors.Is(err, fs.ErrNotExist) { // cat makes it
					t.Fatal(err)
				}
				return bytes.Count(typed, []byte(end)) == len(list)
			})
			for i, theirs := range bytes.Split(typed, []byte(end))[:len(list)] {
				strokes, err := Parse(list[i : i+1])
				if err != nil {
					t.Errorf("%s: %v", list[i], err)
					continue
				}
				pieces, err := Encode(strokes, test.modes, false)
				ours := strings.ReplaceAll(sent(pieces), "|", "")
				reason := otherwise[list[i]]
				if strings.Contains(test.same, list[i]) {
					reason = ""
				}
				if same := ours == string(theirs); err != nil || same == (reason != "") {
					t.Errorf("%s sends %q, %v; tmux sends %q; known difference: %q", list[i], ours, err, theirs, reason)
				}
			}
		})
	}
}

// In application mode, which ncurses turns on, keys send what terminfo has for xterm-256color.
func TestAsTerminfo(t *testing.T) {
	infocmp := need(t, "infocmp")
	out, err := exec.Command(infocmp, "-1", "-x", "xterm-256color").Output()
	if err != nil {
		t.Fatal(err)
	}
	entry := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, value, ok := strings.Cut(strings.Trim(line, "\t\n,"), "="); ok {
			entry[name] = strings.NewReplacer(`\E`, "\x1b", "^?", "\x7f", `\177`, "\x7f").Replace(value)
		}
	}
	keys := map[string]string{
		"kcuu1": "Up", "kcud1": "Down", "kcub1": "Left", "kcuf1": "Right", "khome": "Home", "kend": "End",
		"kich1": "Insert", "kdch1": "Delete", "kpp": "PageUp", "knp": "PageDown", "kbs": "BSpace", "kcbt": "BTab",
		"kent": "KPEnter", "kri": "S-Up", "kind": "S-Down", "kLFT": "S-Left", "kRIT": "S-Right", "kHOM": "S-Home", "kEND": "S-End",
		"kDC": "S-Delete", "kIC": "S-Insert", "kNXT": "S-PageDown", "kPRV": "S-PageUp",
		"kUP3": "M-Up", "kUP5": "C-Up", "kUP6": "C-S-Up", "kUP7": "C-M-Up", "kLFT5": "C-Left", "kDC5": "C-Delete", "kHOM5": "C-Home",
	}
	for n := range 24 {
		name := "F" + strconv.Itoa(n+1)
		keys["kf"+name[1:]] = name
		if n < 12 {
			keys["kf"+strconv.Itoa(n+25)] = "C-" + name
		}
	}
	for capability, name := range keys {
		strokes, err := Parse([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := Encode(strokes, application, false)
		if want := entry[capability]; err != nil || want == "" || sent(pieces) != want {
			t.Errorf("%s sends %q, %v, and %s is %q", name, sent(pieces), err, capability, want)
		}
	}
}

// await waits until so returns true.
func await(t *testing.T, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came")
		}
	}
}
