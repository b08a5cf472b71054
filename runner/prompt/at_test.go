package prompt

import (
	"regexp"
	"testing"

	"devtools/screen"
)

// at answers AtPrompt for a terminal to which something was written.
func at(b *Book, written string, hidden bool) bool {
	t := screen.New(80, 24, 0)
	t.Write([]byte(written))
	return b.AtPrompt(Scene{Picture: t.Snapshot(screen.Visible()), Command: "ssh"}, hidden)
}

func TestAtPrompt(t *testing.T) {
	b := NewBook(nil)
	for _, written := range []string{
		"$ ", "# ", "% ", "> ", ">>> ", "... ", "? ", ": ", "[none]: ", "(yes/no)? ", "[Y/n] ", "login: ", "Password: ", "Password:",
		"mysql> ", "irb(main):001> ", "irb(main):001:0> ", "(gdb) ", "❯ ", "➜ ", "λ ", "\x1b[32m➜\x1b[0m  \x1b[36msrc\x1b[0m ❯ ", "~/src main\r\n❯ ",
		"user@host:~$ ", "root@3f4e5a6b7c8d:/# ", "/ # ", "[user@host ~]$ ", "web1% ", "bash-5.2$ ", "PS C:\\> ", `C:\Users\me>`, `D:\>`, "12:34:56 user@host ~ $ ",
		"sqlite> ", "   ...> ", "postgres=# ", "postgres-# ", "MariaDB [(none)]> ", "    -> ", "ftp> ", "In [3]: ", "(Pdb) ", "ghci> ", "iex(1)> ",
		"[sudo] password for bob: ", "bob@192.0.2.1's password: ", "Username for 'https://example.com': ", "Enter passphrase for signing key: ",
		"Do you want to continue? [Y/n] ", "Are you sure you want to continue connecting (yes/no/[fingerprint])? ", "Overwrite (y/n)? ",
		"package name: (demo) ", "Ok to proceed? (y) ", "rm: remove regular file 'x'? ", "rm a b?...", "Your selection? ", "#? ",
		"Command (m for help): ", "Country Name (2 letter code) [AU]:", "Press any key to continue . . . ", "Press ENTER to continue", "--More--", "--More--(8%)",
		"Shipping address: ", "Введите имя: ", "ファイル名を入力してください: ", "$ ls\r\na b\r\n$ ",
		"\x1b[?1049h\x1b[2J\x1b[24;1H:", "\x1b[?1049h\x1b[2J\x1b[24;1H(END)", "% \x1b[70C[12:00]\x1b[77D", // less, and a right prompt
	} {
		if !at(b, written, false) {
			t.Errorf("%q is no prompt", written)
		}
	}
}

func TestNotAtPrompt(t *testing.T) {
	b := NewBook(nil)
	for _, written := range []string{
		"", "\r\n", "hello", "hello\r\n", "done.", "done. ", "OK ", "Done", "PASS", ".", "..........", "tests/test_a.py .....",
		"collecting ...", "collecting ... ", "\x1b[1mcollecting ... \x1b[0m", "checking for gcc... ", "Checking for gcc: ", "Building...", "Building... ",
		"Watching for file changes...", "Watching for file changes with StatReloader\r\n", "Waiting for connections...", "Waiting for pod: ",
		"press h for help", "press h for help ", "  ➜  press h + enter to show help", "  ➜  press h + enter to show help\r\n", "Press q to quit", "Press Ctrl+C to stop", "(Press CTRL+C to quit)",
		"?", ":", "   ?", "   :", "a\r\n?\r\nb\r\n", "a\r\n:\r\n", "$", "user@host:~$ ls -l", "$ make\r\n", "C:\\Users\\me>dir", "C:\\a.txt: <b>",
		"10%", "10% ", " 45% ", "45.2% ", "Downloading 45%", "Downloading: 45% ", "Reading package lists... 0%", "[ 12%] Building CXX object ", "Receiving objects:  45% (9/20)",
		"[=====>", "[=====> ", "[=====>     ]", " 45% [=====>      ] 9/20 ", "Progress: ", "Progress: [####      ] ", "ETA: ", "Elapsed: ", "1/20", "(3/20) ", "remote: Counting objects: ", "100% done ",
		"Listening on http://localhost:3000", "Listening on http://localhost:3000\r\n", "Local:   http://localhost:5173/", "Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...\r\n", "Server at http://localhost:",
		"error:\r\n", "The following packages will be installed:\r\n", "Enter your name:\r\n", "What is this?\r\n", "Name: bob\r\n", "Really? [y/N] y\r\n",
		"error: ", "INFO: ", "[info] starting: ", "npm WARN deprecated: ", "2026-05-01 12:30:45", "2026-05-01 12:30:45 ", "[12:30:45] Starting compilation...", "12:30:45 request: ", "[2026-05-01T12:30:45Z] worker: ",
		"⠋ Installing", "⠋ ", "Installing ⠙", "⠙ reify: ", "\x1b[?25l- Fetching", "\x1b[?25lName: ", "Working |", "Working -", "Working /", "Working \\",
		"</html> ", "<div>", "total: ", "Total: ", "real 0m1.2s", "GET / 200 12ms", "Compiled successfully!", "Ready in 1.2s", "v20.1.0", "[12:00]",
		"Name: \r", "Name: \x1b[10C", "Name: \x1b[3D", "one: two: three", "foo: bar\x1b[4D", "What? no", "-- waiting --", "=> ", "---> ", "\x1b[?1049htop - 12:00",
	} {
		if at(b, written, false) {
			t.Errorf("%q is taken for a prompt", written)
		}
	}
}

func TestAtPromptHidden(t *testing.T) {
	b := NewBook(nil)
	for written, want := range map[string]bool{
		"\x1b[?1049h":         true,
		"working":             false,
		"\x1b[?1049h\x1b[?1l": true,
		"$ ":                  true,
	} {
		if got := at(b, written, true); got != want {
			t.Errorf("%q: %v, want %v", written, got, want)
		}
	}
	if b.AtPrompt(Scene{}, true) {
		t.Error("there is a prompt without a picture")
	}
}

func TestAtPromptAnswered(t *testing.T) {
	term := screen.New(80, 24, 0)
	term.Write([]byte("Password: "))
	s := Scene{Picture: term.Snapshot(screen.Visible()), Since: 1}
	if NewBook(nil).AtPrompt(s, false) {
		t.Error("a prompt that was answered counts")
	}
}

func TestAtPromptOwn(t *testing.T) {
	b := NewBook([]Pattern{{Line, regexp.MustCompile(`^ready\.$`)}})
	if !at(b, "ready.", false) || at(b, "ready.\r\n", false) || at(b, "not ready.", false) {
		t.Error("the pattern of a workspace does not count, or not at the cursor alone")
	}
}
