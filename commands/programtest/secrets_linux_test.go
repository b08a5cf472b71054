package programtest

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"devtools/runner/runnertest"
)

// secret is what is typed at the programs. Nothing else that is typed or printed has three of its characters in a row.
const secret = "qZ7xK4vW9jQ2"

// A secretCase is a program that asks for a secret.
type secretCase struct {
	name  string
	needs []string
	root  bool         // only root can make a user for it
	run   []string     // the program
	steps []secretStep // if there are none, it asks once, with "pin:", and prints the length as "len=12"
}

// A secretStep waits for a condition, and then types keys in one call each.
type secretStep struct {
	until string
	calls [][]string
}

// asks waits for the text of a question, and then types the secret and Enter.
func asks(text string) secretStep {
	return secretStep{"text:" + text, [][]string{{secret, "Enter"}}}
}

// sees waits for a text.
func sees(text string) secretStep { return secretStep{until: "text:" + text} }

// keyByKey types the secret as a person does.
func keyByKey(text string) secretStep {
	step := secretStep{until: "text:" + text}
	for _, key := range secret + "\r" {
		step.calls = append(step.calls, []string{strings.ReplaceAll(string(key), "\r", "Enter")})
	}
	return step
}

func bash(script string) []string { return []string{"bash", "--norc", "-c", script} }

const (
	readSecret = `read -rsp "pin: " x; echo; echo "len=${#x}"`
	atPrompt   = "prompt"
	rest       = "stable:2300ms" // longer than text rests until it is judged
)

var typesRead = [][]string{{readSecret, "Enter"}}

// withUser returns a command that runs a script as testdata/secrets/users.sh describes.
func withUser(script string) []string {
	return []string{"unshare", "-m", "bash", "testdata/secrets/users.sh", secretHash, script}
}

// secretHash is what openssl passwd -6 -salt salt makes of the secret.
const secretHash = "$6$salt$4T5ALwtBg0guFx/tbfXf.ElncDanPQqDu2LJX5nojTYvPhCsXqBq/..w53/M3BCBL.pK0E9wm7NQy50YvlHQz/"

var secretCases = []secretCase{
	{name: "bash read -s", run: bash(readSecret)},
	{name: "bash read -s, key by key", run: bash(readSecret), steps: []secretStep{keyByKey("pin:"), sees("len=12")}},
	{name: "zsh read -s", needs: []string{"zsh"}, run: []string{"zsh", "-fc", `read -rs "x?pin: "; echo; echo len=$#x`}},
	{name: "fish read -s", needs: []string{"fish"}, run: []string{"fish", "-N", "-c", `read -s -P "pin: " x; echo len=(string length -- $x)`}},
	{name: "sh stty -echo", run: []string{"sh", "-c", `stty -echo; printf "pin: "; read -r x; stty echo; echo; echo len=${#x}`}},
	{name: "getpass", needs: []string{"python3"}, run: []string{"python3", "-c", `import getpass; print("len=%d" % len(getpass.getpass("pin: ")))`}},
	{name: "raw mode", needs: []string{"python3"}, run: []string{"python3", "testdata/secrets/mask.py", "nothing"}},
	{name: "stars", needs: []string{"python3"}, run: []string{"python3", "testdata/secrets/mask.py", "star"}},
	{name: "the last character for a moment", needs: []string{"python3"}, run: []string{"python3", "testdata/secrets/mask.py", "last"}},
	{name: "the last character for a moment, key by key", needs: []string{"python3"}, run: []string{"python3", "testdata/secrets/mask.py", "last"}, steps: []secretStep{keyByKey("pin:"), sees("len=12")}},
	{name: "the last character until the next key, on the alternate screen", needs: []string{"python3"}, run: []string{"python3", "testdata/secrets/mask.py", "kept", "screen"}, steps: []secretStep{
		{"text:pin:", [][]string{{secret[:1]}}}, {rest, [][]string{{secret[1:2]}}}, {rest, [][]string{{secret[2:3]}}}, {rest, [][]string{{secret[3:], "Enter"}}}, sees("len=12"),
	}},
	{name: "muted readline of node", needs: []string{"node"}, run: []string{"node", "testdata/secrets/muted.js"}},
	{name: "stars in node", needs: []string{"node"}, run: []string{"node", "testdata/secrets/muted.js", "star"}},
	{name: "prompt_toolkit", needs: []string{"/usr/bin/python3", "/usr/lib/python3/dist-packages/prompt_toolkit"}, run: []string{"/usr/bin/python3", "testdata/secrets/toolkit.py"}},
	{name: "enquirer", needs: []string{"node", debianNode + "/enquirer"}, run: []string{"node", "testdata/secrets/enquirer.js"}},
	{name: "openssl", needs: []string{"openssl"}, run: bash(`openssl enc -aes-256-cbc -pbkdf2 -in /dev/null -out /dev/null && echo len=12`), steps: []secretStep{asks("encryption password:"), asks("Verifying"), sees("len=12")}},
	{name: "gpg", needs: []string{"gpg"}, run: bash(`export GNUPGHOME=$(mktemp -d); gpg --pinentry-mode loopback -c -o /dev/null /dev/null && echo len=12; gpgconf --kill all`), steps: []secretStep{asks("passphrase:"), sees("len=12")}},
	{name: "ssh-keygen", needs: []string{"ssh-keygen"}, run: bash(`ssh-keygen -q -f "$(mktemp -d)/key" && echo len=12`), steps: []secretStep{asks("Enter passphrase"), asks("same passphrase again"), sees("len=12")}},
	{name: "git credential", needs: []string{"git"}, run: bash(`printf 'protocol=https\nhost=example.org\nusername=me\n\n' | GIT_ASKPASS= SSH_ASKPASS= git -c credential.helper= credential fill >/dev/null && echo len=12`), steps: []secretStep{asks("Password for"), sees("len=12")}},
	{name: "vim inputsecret()", needs: []string{"vim"}, run: []string{"vim", "-u", "NONE", "-c", `let x = inputsecret("pin: ") | echo "\nlen=" . len(x)`}},
	{name: "whiptail", needs: []string{"whiptail"}, run: bash(`x=$(whiptail --passwordbox pin: 8 40 3>&1 1>&2 2>&3); echo len=${#x}`)},
	{name: "dialog --insecure", needs: []string{"dialog"}, run: bash(`x=$(dialog --insecure --passwordbox pin: 8 40 3>&1 1>&2 2>&3); echo len=${#x}`)},
	{name: "pinentry", needs: []string{"pinentry-curses"}, run: bash(`d=$(mktemp -d); mkfifo $d/in; pinentry-curses <$d/in >$d/out & exec 3>$d/in
printf 'OPTION ttyname=%s\nOPTION ttytype=%s\nSETPROMPT pin:\nGETPIN\nBYE\n' "$(tty)" "$TERM" >&3; wait; x=$(sed -n 's/^D //p' $d/out); rm -r $d; echo len=${#x}`)},
	{name: "script", needs: []string{"script"}, run: []string{"script", "-qc", "bash -c '" + readSecret + "'", "/dev/null"}},
	{name: "tmux", needs: []string{"tmux"}, run: bash(`exec tmux -L secret$$ -f /dev/null new "bash --norc"`), steps: []secretStep{{"text:bash-", typesRead}, asks("pin:"), sees("len=12")}},
	{name: "typed ahead", run: bash(`stty -echo; echo ready; while [ ! -e "$DONE" ]; do sleep 0.05; done; read -rs x; stty echo; echo "len=${#x}"`), steps: []secretStep{{"text:ready", [][]string{{"--no-wait", secret, "Enter"}, nil}}, sees("len=12")}},
	{name: "integrated bash", run: []string{"bash", "--norc"}, steps: []secretStep{{atPrompt, typesRead}, asks("pin: $"), sees("len=12")}},
	{name: "integrated zsh", needs: []string{"zsh"}, run: []string{"zsh", "-f"}, steps: []secretStep{{atPrompt, [][]string{{`read -rs "x?pin: "; echo; echo len=$#x`, "Enter"}}}, asks("^pin: $"), sees("^len=12")}},
	{name: "an integrated shell goes on after it", run: []string{"bash", "--norc"}, steps: []secretStep{{atPrompt, typesRead}, asks("pin: $"), {"text:^len=12", [][]string{{"echo", "Space", "over", "Enter"}}}, sees("^over")}},
	{name: "sudo pwfeedback", root: true, needs: []string{"sudo", "unshare", "setpriv"}, run: withUser(`as_user sudo -k; as_user sudo echo len=12`)},
	{name: "su", root: true, needs: []string{"su", "unshare", "setpriv"}, run: withUser(`setpriv --reuid 65534 --regid 65534 --clear-groups su asked -c 'echo len=12'`), steps: []secretStep{asks("Password:"), sees("len=12")}},
	{name: "passwd", root: true, needs: []string{"passwd", "unshare", "setpriv"}, run: withUser(`as_user passwd; echo len=12`), steps: []secretStep{asks("Current password:"), asks("New password:"), asks("new password:"), sees("not been changed")}},
	{name: "ssh", root: true, needs: []string{"ssh", "/usr/sbin/sshd", "unshare"}, run: withUser(`connect asked@local echo len=12`), steps: []secretStep{asks("password:"), sees("len=12")}},
	{name: "sudo behind ssh", root: true, needs: []string{"ssh", "/usr/sbin/sshd", "sudo", "unshare"}, run: withUser(`connect -tt asked@local sudo echo len=12`), steps: []secretStep{asks("password:"), asks("pin:"), sees("len=12")}},
	{name: "read -s behind ssh", root: true, needs: []string{"ssh", "/usr/sbin/sshd", "unshare"}, run: withUser(`connect asked@local`), steps: []secretStep{asks("password:"), {`text:\$ $`, typesRead}, asks("pin: $"), sees("len=12")}},
}

// TestSecrets types a secret in many ways. No file of the state folder has it then, and no input that is kept as text has three of
// its characters in a row.
func TestSecrets(t *testing.T) {
	t.Parallel()
	for _, c := range secretCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := c.begin(t)
			if c.steps == nil {
				c.steps = []secretStep{asks("pin:"), sees("len=12")}
			}
			for _, step := range c.steps {
				s.take(t, step)
			}
			s.end(t)
			if files := s.having(t, secret); len(files) > 0 {
				t.Errorf("it is in %v", files)
			}
			text := s.keptInput(t)
			for i := range len(secret) - 2 {
				if part := secret[i : i+3]; strings.Contains(text, part) {
					t.Errorf("%q is in the input: %q", part, text)
				}
			}
		})
	}
}

// A name that is echoed late is no proof that the password after it was shown.
func TestSecretsLateEcho(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"admin", "adm"} {
		t.Run(password, func(t *testing.T) {
			t.Parallel()
			s := secretCase{needs: []string{"python3"}, run: []string{"python3", "testdata/secrets/late.py"}}.begin(t)
			s.take(t, secretStep{"text:name: ", [][]string{{"--no-wait", "admin", "Enter"}, {"--no-wait", password, "Enter"}, nil}})
			s.take(t, sees("over"))
			s.end(t)
			if text := s.keptInput(t); text != "admin\r" {
				t.Errorf("the input is %q", text)
			}
		})
	}
}

// What a terminal shows is in its output. The search of TestSecrets would find it. A text that was erased is in no input.
func TestSecretsShown(t *testing.T) {
	t.Parallel()
	for _, erase := range [][]string{{"C-u"}, {"C-c"}, {"C-a", "C-k"}, {"C-w"}, {"BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace"}} {
		t.Run(erase[0], func(t *testing.T) {
			t.Parallel()
			s := secretCase{run: []string{"bash", "--norc"}}.begin(t)
			s.take(t, secretStep{atPrompt, [][]string{{secret}, erase, {"echo over", "Enter"}}})
			s.take(t, sees("^over"))
			s.end(t)
			if len(s.having(t, secret)) == 0 {
				t.Error("the output does not have what was shown")
			}
			if text := s.keptInput(t); strings.Contains(text, secret[:3]) || !strings.Contains(text, "echo over\r") {
				t.Errorf("the input is %q", text)
			}
		})
	}
}

// A secretSession is the session of a case, with a state folder of its own.
type secretSession struct {
	dir string
	env []string
}

func (c secretCase) begin(t *testing.T) secretSession {
	t.Helper()
	for _, need := range c.needs {
		if _, err := os.Stat(need); strings.HasPrefix(need, "/") && err == nil {
			continue // a library
		}
		runnertest.Need(t, need)
	}
	if c.root && os.Geteuid() != 0 {
		t.Skip("only root can make a user")
	}
	s := secretSession{dir: runnertest.NewState(t)}
	s.env = append(os.Environ(), "DONE="+s.dir+"/done", "HOME="+t.TempDir(), "TERM=xterm-256color", "PS1=$ ", "NODE_PATH="+debianNode)
	s.devtools(t, append([]string{"launch", "--name", "ask", "--"}, c.run...)...)
	return s
}

// take waits for the condition of a step and types its keys. A step without keys makes the file $DONE.
func (s secretSession) take(t *testing.T, step secretStep) {
	t.Helper()
	if pattern, isText := strings.CutPrefix(step.until, "text:"); len(step.calls) == 0 && isText {
		_ = s.command("wait", "ask", "--until", step.until, "--until", "exit", "--timeout", "60s").Run()
		if found, err := s.command("log", "ask", "--grep", pattern).Output(); err != nil || len(found) == 0 { // the program may have ended
			t.Fatalf("it has not printed %q: %v", pattern, err)
		}
		return
	}
	s.devtools(t, "wait", "ask", "--until", step.until, "--timeout", "60s")
	for _, keys := range step.calls {
		if keys == nil {
			if err := os.WriteFile(s.dir+"/done", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		s.devtools(t, append([]string{"send-keys", "ask"}, keys...)...)
	}
}

// devtools runs devtools, which must succeed.
func (s secretSession) devtools(t *testing.T, args ...string) {
	t.Helper()
	if out, err := s.command(args...).CombinedOutput(); err != nil {
		shown, _ := s.command("screen", "ask").CombinedOutput()
		t.Fatalf("%q: %v: %s\n%s", args, err, out, shown)
	}
}

func (s secretSession) command(args ...string) *exec.Cmd {
	cmd := exec.Command("devtools", append([]string{"--dir", s.dir}, args...)...)
	cmd.Env = s.env
	return cmd
}

// end ends the session, and waits for that.
func (s secretSession) end(t *testing.T) {
	t.Helper()
	_ = s.command("kill", "ask").Run() // it may have ended
	_ = s.command("wait", "ask").Run() // with any exit code
}

// having returns the files of the state folder that contain a text.
func (s secretSession) having(t *testing.T, text string) (list []string) {
	t.Helper()
	s.each(t, func(path string, data []byte) {
		if bytes.Contains(data, []byte(text)) {
			list = append(list, path)
		}
	})
	return list
}

// keptInput returns all input that the transcript has as text.
func (s secretSession) keptInput(t *testing.T) string {
	t.Helper()
	var kept strings.Builder
	s.each(t, func(path string, data []byte) {
		if !strings.HasPrefix(filepath.Base(path), "timing.") {
			return
		}
		for line := range bytes.Lines(data) {
			var entry []any
			if err := json.Unmarshal(line, &entry); err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if text, ok := entry[2].(string); ok && entry[1] == "i" {
				kept.WriteString(text)
			}
		}
	})
	return kept.String()
}

// each calls found for each file of the state folder.
func (s secretSession) each(t *testing.T, found func(path string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			found(path, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
