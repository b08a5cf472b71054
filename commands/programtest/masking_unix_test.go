//go:build unix

package programtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"devtools/runner/runnertest"
)

// The masked secrets: one begins with another, one overlaps with it, one has characters that URLs and JSON encode.
var maskedSecrets = map[string]string{
	"MASKED_A": "tok_7Hq2Lw9Zx4",
	"MASKED_B": "tok_7Hq2Lw9Zx4-Vb81",
	"MASKED_C": "w9Zx4-Vb81Ke55",
	"MASKED_D": `pä"ss w/o\rd?&=+`,
}

// A maskedForm is a form of a masked secret in a text.
func maskedForms() (list []string) {
	for _, value := range maskedSecrets {
		text, _ := json.Marshal(value)
		list = append(list, value, url.QueryEscape(value), url.PathEscape(value), strings.Trim(string(text), `"`), inLower(url.QueryEscape(value)))
		for before := range 3 {
			for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				whole := alphabet.EncodeToString([]byte("\x00\x00"[:before] + value))
				list = append(list, whole[(8*before+5)/6:8*(before+len(value))/6])
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// inLower returns a URL with lower hexadecimal digits.
func inLower(text string) string {
	return regexp.MustCompile("%..").ReplaceAllStringFunc(text, strings.ToLower)
}

// babbleMain prints forms of the secrets between other text, in pieces of random lengths with pauses between. The arguments are the
// number of the forms, a seed, and stderr to print every second one there.
func babbleMain() {
	rounds, _ := strconv.Atoi(os.Args[1])
	seed, _ := strconv.ParseUint(os.Args[2], 10, 64)
	random := rand.New(rand.NewPCG(seed, 2))
	for i, line := range babbled(rounds, seed) {
		out := os.Stdout
		if i%2 == 1 && slices.Contains(os.Args, "stderr") {
			out = os.Stderr
		}
		for rest := []byte(line); len(rest) > 0; {
			n := 1 + random.IntN(min(len(rest), 1+random.IntN(30)))
			_, _ = out.Write(rest[:n])
			switch rest = rest[n:]; random.IntN(500) {
			case 0:
				time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
			case 1, 2, 3, 4, 5:
				time.Sleep(time.Duration(random.IntN(3000)) * time.Microsecond)
			}
		}
	}
}

// babbled returns the lines that babbleMain prints.
func babbled(rounds int, seed uint64) (lines []string) {
	random, forms := rand.New(rand.NewPCG(seed, 1)), maskedForms()
	for i := range rounds {
		before := strings.Repeat("tok_7Hq ", random.IntN(3))
		lines = append(lines, fmt.Sprintf("%d %s%s%.*s\n", i, before, forms[random.IntN(len(forms))], random.IntN(5), "tok_."))
	}
	return lines
}

// A maskingDesk is a desk with the masked secrets in the environment of the calls.
func maskingDesk(t *testing.T) (d *desk, flags []string) {
	t.Helper()
	folder := t.TempDir()
	d = &desk{folder, append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_RUNTIME_DIR="+filepath.Join(folder, "run"), "DEVTOOLS_DIR="+filepath.Join(folder, ".devtools"), "LANG=C.UTF-8")}
	if err := os.Mkdir(filepath.Join(folder, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, value := range maskedSecrets {
		d.env = append(d.env, name+"="+value)
		flags = append(flags, "--secret", "X"+name+"=env:"+name)
	}
	t.Cleanup(func() {
		d.do(t, "kill", "--all", "--signal", "KILL", "--kill-after", "0")
	})
	return d, flags
}

// leaks reports each form of a secret in a text.
func leaks(t *testing.T, where, text string) {
	t.Helper()
	for _, form := range maskedForms() {
		if at := strings.Index(text, form); at >= 0 {
			t.Errorf("%s has %q: …%q…", where, form, text[max(0, at-60):min(len(text), at+len(form)+20)])
		}
	}
}

// leaksInFiles reports each form of a secret in the files of the folder.
func (d *desk) leaksInFiles(t *testing.T) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(d.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil // a holder may just remove it
		}
		if data, err := os.ReadFile(path); err == nil {
			n++
			leaks(t, path, string(data))
		}
		return nil
	})
	if err != nil || n < 5 {
		t.Errorf("%d files were read: %v", n, err)
	}
}

// sameBut reports where got differs from the text, other than by a * in a form of a secret, or by a beginning of one of at most three
// bytes in which the program has paused for long.
func sameBut(got, text string) string {
	if len(got) != len(text) {
		return fmt.Sprintf("%d bytes of %d", len(got), len(text))
	}
	inside := make([]int, len(text)) // how far into a form
	for _, form := range maskedForms() {
		for at := 0; ; at++ {
			next := strings.Index(text[at:], form)
			if next < 0 {
				break
			}
			at += next
			for i := range form {
				inside[at+i] = max(inside[at+i], i+1)
			}
		}
	}
	for i := range text {
		switch {
		case inside[i] == 0 && got[i] == text[i], inside[i] > 0 && got[i] == '*', inside[i] > 0 && inside[i] <= 3 && got[i] == text[i]:
		case inside[i] == 0 && got[i] == '*': // a character of base64 at the end of a form, or a beginning at a pause
			if j := i - 8; j >= 0 && !strings.Contains(got[j:i], "*") && !strings.HasPrefix(text[i:], "tok_") {
				return fmt.Sprintf("at %d: %q", i, got[max(0, i-30):min(len(got), i+30)])
			}
		default:
			return fmt.Sprintf("at %d: %q, printed was %q", i, got[max(0, i-30):min(len(got), i+30)], text[max(0, i-30):min(len(got), i+30)])
		}
	}
	return ""
}

// A secret that is echoed in random pieces reaches neither a file nor what devtools prints.
func TestStressMaskedEchoes(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"terminal": {"--raw"}, "text": nil, "pipes": {"--no-pty"}, "json": {"--json", "--max-output", "64MiB"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, secrets := maskingDesk(t)
			rounds := runnertest.Rounds(150, 2500)
			seed := rand.Uint64N(1 << 40)
			command := []string{"--timeout", "20m", "--", "babble", strconv.Itoa(rounds), strconv.FormatUint(seed, 10)}
			if name == "pipes" {
				command = append(command, "stderr")
			}
			out := d.do(t, slices.Concat([]string{"run", "--name", "babble"}, flags, secrets, command)...)
			leaks(t, "run", out)
			d.leaksInFiles(t)
			if name == "text" {
				text := strings.Join(babbled(rounds, seed), "")
				if wrong := sameBut(out, text); wrong != "" {
					t.Errorf("seed %d: %s", seed, wrong)
				}
				d.do(t, "replay", "babble", "--export", "a.cast")
				d.do(t, "replay", "babble", "--export", "a.txt")
				leaks(t, "log", d.do(t, "log", "babble", "--raw"))
				d.leaksInFiles(t)
			}
		})
	}
}

// A session whose program and its child have secrets in their arguments, and that prints them, shows them nowhere.
func TestMaskedSession(t *testing.T) {
	t.Parallel()
	d, secrets := maskingDesk(t)
	value := maskedSecrets["MASKED_B"]
	line := `sh -c 'sleep 1000; : "` + value + `"' "X: $XMASKED_D" & echo "got $XMASKED_A"; echo "$XMASKED_B" | base64; printf 'name? '; read x; echo "$x"; : ` + value + `; sleep 1000`
	start := slices.Concat([]string{"launch", "--name", "web", "--title", "with " + value, "--label", "a=" + value, "--on-exit", "echo " + value + " $XMASKED_A", "--ready", "text:name"}, secrets, []string{"--", "bash", "-c", line, value})
	d.do(t, start...)
	for _, format := range []string{"jsonl", "asciicast", "asciicast-v3", "raw"} {
		d.do(t, "capture", "start", "web", "--format", format)
	}
	d.do(t, "send-keys", "web", "--enter", "--", "typed "+value)
	d.do(t, "wait", "web", "--until", "text:typed [*]+", "--timeout", "30s")
	d.do(t, "label", "web", "b="+value)
	var printed bytes.Buffer
	say := func(args ...string) {
		out, _ := d.call(t.Context(), args...)
		leaks(t, strings.Join(args[:min(len(args), 4)], " "), out)
		fmt.Fprintf(&printed, "$ devtools %.60q\n%s", args, out)
	}
	seen := func() {
		for _, args := range [][]string{
			{"ps"},
			{"ps", "--json"},
			{"ps", "--all", "--json"},
			{"ps", "--tree"},
			{"ps", "--expected", "--json"},
			{"doctor", "web", "--json"},
			{"doctor", "--json"},
			{"log", "web"},
			{"log", "web", "--raw"},
			{"log", "web", "--json"},
			{"log", "--input", "web"},
			{"screen", "web", "--json"},
			{"screen", "web", "--format", "html"},
			{"history"},
			{"history", "--json"},
			{"replay", "web", "--export", "web.cast", "--force"},
			{"replay", "web", "--export", "web.html", "--force"},
			{"capture", "list", "web", "--json"},
			{"wait", "web", "--until", "text:never", "--timeout", "10ms", "--json"},
			{"label", "web", "--json"},
			{"stacks", "--json"},
		} {
			say(args...)
		}
	}
	seen()
	if !strings.Contains(printed.String(), "typed *******************") || !strings.Contains(printed.String(), "X: ****") {
		t.Errorf("the masks are missing:\n%s", printed.String())
	}
	if names := `"secrets":["`; !strings.Contains(d.do(t, "ps", "--json"), names) {
		t.Error("ps does not say that there are secrets")
	}
	d.leaksInFiles(t)
	holder := d.holderOf(t, "web")
	if p, err := os.FindProcess(holder); err != nil || p.Kill() != nil {
		t.Fatalf("the holder %d cannot be killed: %v", holder, err)
	}
	seen()
	say("kill-orphans", "--dry-run")
	say("kill-orphans", "--dry-run", "--json")
	seen()
	d.leaksInFiles(t)
	say("kill-orphans", "--json")
	seen()
	d.leaksInFiles(t)
}

// holderOf returns the pid of the holder of a session.
func (d *desk) holderOf(t *testing.T, name string) int {
	t.Helper()
	var listing struct {
		Sessions []struct {
			Name, SessionID string
		}
	}
	if err := json.Unmarshal([]byte(d.do(t, "ps", "--json")), &listing); err != nil {
		t.Fatal(err)
	}
	for _, s := range listing.Sessions {
		if s.Name != name {
			continue
		}
		data, err := os.ReadFile(filepath.Join(d.folder, ".devtools", "sessions", s.SessionID+".json"))
		var record struct{ Holder struct{ PID int } }
		if err == nil {
			err = json.Unmarshal(data, &record)
		}
		if err != nil {
			t.Fatal(err)
		}
		return record.Holder.PID
	}
	t.Fatalf("no session %s", name)
	return 0
}

// What fails before there is a session does not repeat a secret, and the commands of a shell are masked.
func TestMaskedCalls(t *testing.T) {
	t.Parallel()
	runnertest.Need(t, "bash")
	d, secrets := maskingDesk(t)
	value := maskedSecrets["MASKED_A"]
	for _, args := range [][]string{
		{"run", "--", "./no-" + value},
		{"run", "--json", "--", "./no-" + value},
		{"run", "--cwd", "/no/" + value, "--", "true"},
		{"run", "--on-exit", "no-" + value, "--", "true"},
		{"run", "--name", value, "--", "true"},
		{"run", "--json", "--bogus=" + value, "--", "true"},
		{"run", "--timeout", value, "--", "true"},
		{"run", "--json", "--", "vite", "--token", value},
		{"watch", "--once", "--json", "--", "echo", value},
		{"watch", "--once", "--build", "echo " + value, "--", "echo", value},
		{"run", "--env", value, "--", "true"},
		{"launch", "--name", "sh", "--", "bash", "--norc"},
		{"run", "--json", "--", "sh", "-c", "exit 3", value},
		{"run", "--json", "--timeout", "300ms", "--name", "late", "--", "sh", "-c", "read x; : " + value, value},
	} {
		at := slices.Index(args, "--")
		out, _ := d.call(t.Context(), slices.Concat(args[:at], secrets, args[at:])...)
		leaks(t, strings.Join(args, " "), out)
		if strings.Contains(strings.Join(args, " "), "no-") && !strings.Contains(out, "no-*") {
			t.Errorf("%v: %s", args, out)
		}
	}
	leaks(t, "run --in", d.do(t, "run", "--json", "--in", "sh", "--", "echo "+value+` "$XMASKED_B"`))
	leaks(t, "history", d.do(t, "history", "--commands", "--json"))
	leaks(t, "log --input", d.do(t, "log", "--input", "sh"))
	d.leaksInFiles(t)
	if out := d.do(t, "restart", "sh", "--json"); !strings.Contains(d.do(t, "run", "--in", "sh", "--", "echo $XMASKED_A."), strings.Repeat("*", len(value))+".") {
		t.Errorf("after a restart there is no secret: %s", out)
	}
}

// The values come from variables, files and descriptors, and only the program gets them.
func TestSecretSources(t *testing.T) {
	t.Parallel()
	d, _ := maskingDesk(t)
	value := maskedSecrets["MASKED_B"]
	d.write(t, "token", value+"\n", 0o600)
	reading, writing, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err = io.WriteString(writing, value); err != nil {
		t.Fatal(err)
	}
	_ = writing.Close()
	cmd := exec.Command("devtools", "run", "--no-pty", "--secret", "F=file:token", "--secret", "E=env:MASKED_B", "--secret", "D=fd:3", "--on-exit", `test -z "$F$E$D$MASKED_B" && touch none`, "--",
		"sh", "-c", `printf "$F" | sha256sum; printf "$E" | sha256sum; printf "$D" | sha256sum; echo "[$MASKED_B]"; ls /proc/self/fd | wc -l`)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = d.folder, d.env, []*os.File{reading}
	out, err := cmd.CombinedOutput()
	_ = reading.Close()
	lines := strings.Split(string(out), "\n")
	if err != nil || len(lines) < 5 || lines[0] != lines[1] || lines[1] != lines[2] || lines[3] != "[]" {
		t.Errorf("%v: %s", err, out)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(d.folder, "none")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the command of --on-exit had a secret, or did not run")
		}
	}
}

// Bytes that are held back do not hide a prompt, nor the text for which a call waits.
func TestHeldPrompts(t *testing.T) {
	t.Parallel()
	d, secrets := maskingDesk(t)
	value := maskedSecrets["MASKED_A"]
	for prompt, shown := range map[string]string{"answer t": "answer t", "answer to": "answer to", "your tok_": "your ****", "name? ": "name? "} {
		name := "asks-" + strings.NewReplacer(" ", "", "?", "").Replace(prompt)
		script := fmt.Sprintf("printf '%s'; read x; printf '[%%s]t' \"$x\"; sleep 1000", prompt)
		out, _ := d.call(t.Context(), slices.Concat([]string{"run", "--json", "--name", name, "--timeout", "1m"}, secrets, []string{"--", "sh", "-c", script})...)
		if !strings.Contains(out, `"prompt":"`+shown+`"`) || !strings.Contains(out, `"status":"waiting_for_input"`) {
			t.Errorf("%q: %s", prompt, out)
		}
		for _, key := range value {
			d.do(t, "send-keys", name, "--", string(key))
		}
		d.do(t, "send-keys", name, "Enter")
		d.do(t, "wait", name, "--until", `text:\[[*]{`+strconv.Itoa(len(value))+`}\]t$`, "--timeout", "1m")
		leaks(t, "log --input", d.do(t, "log", "--input", name))
		// On a busy machine the first keys come so slowly that the first three bytes are shown.
		echoed := regexp.QuoteMeta(shown) + `[t*][o*][k*][*]{` + strconv.Itoa(len(value)-3) + `}\n`
		if screen := d.do(t, "screen", name); !regexp.MustCompile(echoed).MatchString(screen) {
			t.Errorf("%q: the screen is %q", prompt, screen)
		}
	}
	d.leaksInFiles(t)
}
