package prompt

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"devtools/screen"
)

// readings is what is read from each recording. Flags are known, secret, drawn, above, and
// prompt where AtPrompt says so. Of what has
// the whole screen only the first line of the text is told. Names with doc- are not recorded, but made from what the
// programs' documents show.
var readings = []struct {
	name  string
	kind  Kind
	flags string
	text  string
}{
	{"7z", Password, "known secret prompt", "Enter password (will not be echoed):"},
	{"7z-over", Confirm, "known prompt", "Would you like to replace the existing file:\n  Path:     ./b.txt\n  Size:     0 bytes\n  Modified: 2026-11-20 21:11:36\nwith the file from archive:\n  Path:     b.txt\n  Size:     2 bytes (1 KiB)\n  Modified: 2026-11-20 20:50:37\n? (Y)es / (N)o / (A)lways / (S)kip all / A(u)to rename all / (Q)uit? "},
	{"add-i", Choice, "known prompt", "*** Commands ***\n  1: status       2: update       3: revert       4: add untracked\n  5: patch        6: diff         7: quit         8: help\nWhat now> "},
	{"adduser", Line, "known prompt", "        Full Name []: "},
	{"alternatives", Choice, "known prompt", "There are 12 choices for the alternative editor (providing /usr/bin/editor).\n\n  Selection    Path                Priority   Status\n------------------------------------------------------------\n* 0            /usr/bin/joe         70        auto mode\n  1            /bin/ed             -100       manual mode\n  2            /bin/nano            40        manual mode\n  3            /usr/bin/emacs       0         manual mode\n  4            /usr/bin/jmacs       50        manual mode\n  5            /usr/bin/joe         70        manual mode\n  6            /usr/bin/jpico       50        manual mode\n  7            /usr/bin/jstar       50        manual mode\n  8            /usr/bin/mcedit      25        manual mode\n  9            /usr/bin/micro       40        manual mode\n  10           /usr/bin/nvi         19        manual mode\n  11           /usr/bin/rjoe        25        manual mode\n  12           /usr/bin/vim.basic   30        manual mode\n\nPress <enter> to keep the current choice[*], or type selection number: "},
	{"apt", Confirm, "known prompt", "The following packages were automatically installed and are no longer required:\n  libgpgme11 libtokyocabinet9 xclip\nUse 'apt autoremove' to remove them.\nThe following packages will be REMOVED:\n  joe micro\n0 upgraded, 0 newly installed, 2 to remove and 116 not upgraded.\nAfter this operation, 14.9 MB disk space will be freed.\nDo you want to continue? [Y/n] "},
	{"apt-get", Confirm, "known prompt", "Suggested packages:\n  urlview aspell | ispell\nThe following NEW packages will be installed:\n  mailcap mutt\n0 upgraded, 2 newly installed, 0 to remove and 116 not upgraded.\nNeed to get 1916 kB of archives.\nAfter this operation, 7380 kB of additional disk space will be used.\nDo you want to continue? [Y/n] "},
	{"bash", REPL, "known prompt", "$ "},
	{"bash-heredoc", Choice, "known prompt", "Main menu\n=========\na) Add\nb) Browse\nq) Quit\n\nEnter selection [q]: "},
	{"bash-menu", Choice, "known prompt", "Deploy where?\n 1) staging\n 2) production\n 3) none\nYour choice: "},
	{"bash-menu-range", Choice, "known prompt", "Pick one of these:\n\n[1] tea\n[2] coffee\n\nEnter a number (1-2): "},
	{"bash-noediting", REPL, "known prompt", "$ "},
	{"bash-number", Line, "known prompt", "How many? [3] "},
	{"bash-oui", Confirm, "known prompt", "Voulez-vous continuer ? (o/n) "},
	{"bash-overwrite", Confirm, "known prompt", "Ueberschreiben? [j/N] "},
	{"bash-partial", REPL, "known", "$ echo some"},
	{"bash-passwort", Password, "known secret prompt", "Passwort: "},
	{"bash-read", Line, "known prompt", "Name: "},
	{"bash-read-above", Line, "known", "Enter your name:"},
	{"bash-read-after-hello", Confirm, "known prompt", "Sure? [y/N] "},
	{"bash-read-cyrillic", Line, "known prompt", "Введите имя: "},
	{"bash-read-e", Line, "known prompt", "Project name: "},
	{"bash-read-e-gt", Line, "known prompt", "edit> "},
	{"bash-read-key", Key, "known prompt", "Press any key"},
	{"bash-read-n1", Key, "known prompt", "Press any key to continue..."},
	{"bash-read-n1-echo", Key, "known prompt", "Press a key: "},
	{"bash-read-n1-yn", Confirm, "known prompt", "Continue (y/n)? "},
	{"bash-read-rsn1", Confirm, "known prompt", "[y/N] "},
	{"bash-read-s", Password, "known secret prompt", "Password: "},
	{"bash-read-second", Line, "known prompt", "Second: "},
	{"bash-read-wrapped", Line, "known prompt", "The quick brown fox jumps over the lazy dog, and the question is: what is your favourite colour of them all? "},
	{"bash-search", REPL, "known", "(failed reverse-i-search)`ec': "},
	{"bash-select", Choice, "known prompt", "Which colour?\n1) red\n2) green\n3) blue\n#? "},
	{"bash-select-cols", Choice, "known prompt", "1) a    3) c   5) e   7) g   9) i  11) k  13) m\n2) b    4) d   6) f   8) h  10) j  12) l\n#? "},
	{"bash-starship", REPL, "known prompt", "❯ "},
	{"bash-timer", Key, "known prompt", "Continue in 60 s or press a key "},
	{"bash-two-line", Line, "known prompt", "> "},
	{"bash-typed", Line, "", "Name: Bob"},
	{"bash-yes-literal", Line, "known prompt", "Type DELETE to confirm: "},
	{"bc", REPL, "known", ""},
	{"busybox-less", Pager, "known drawn", "long.txt"},
	{"busybox-less-end", Pager, "known drawn", "short.txt"},
	{"busybox-more", Pager, "known prompt drawn", "--More-- (10% of 690 bytes)"},
	{"cat", Line, "", ""},
	{"cat-accepted", Line, "above", "Password: accepted"},
	{"cat-after", Line, "above", "some output"},
	{"clack-confirm", Confirm, "known", "◆  Install dependencies?\n● Yes / ○ No"},
	{"clack-password", Password, "known secret", "◆  Your password"},
	{"clack-select", Choice, "known", "◆  Pick a project type\n● TypeScript\n○ JavaScript"},
	{"clack-text", Line, "known", "◆  What is your name?"},
	{"click-confirm", Confirm, "known prompt", "Abort [y/N]: "},
	{"click-password", Password, "secret prompt", "Repeat for confirmation: "},
	{"click-pause", Key, "known prompt", "Press any key to continue..."},
	{"click-prompt", Line, "known prompt", "Value [5]: "},
	{"cp-i", Confirm, "known prompt", "cp: overwrite 'b.txt'? "},
	{"cpan", Confirm, "known prompt", "Would you like to configure as much as possible automatically? [yes] "},
	{"crontab", Confirm, "known prompt", "crontab: really delete root's crontab? (y/n) "},
	{"curl-password", Password, "known secret prompt", "Enter host password for user 'bob':"},
	{"dash", REPL, "known prompt", "# "},
	{"dash-read", Line, "known prompt", "Path to file? "},
	{"dialog-input", Line, "known drawn", "Enter the host name:\n<OK> <Cancel>"},
	{"dialog-menu", Choice, "known drawn", "Pick\nChoose one of these:\n1  One\n2  Two\n<OK> <Cancel>"},
	{"dialog-msg", Key, "known drawn", "Hello there\n<OK>"},
	{"dialog-password", Password, "known secret drawn", "Password for root:\n<OK> <Cancel>"},
	{"dialog-passwordbox", Password, "known secret drawn", "Login\nYour pass:\n<OK> <Cancel>"},
	{"dialog-yesno", Confirm, "known drawn", "Shall we begin?\n<Yes> <No>"},
	{"difftool", Confirm, "known prompt", "Launch 'vimdiff' [Y/n]? "},
	{"doc-bell-yes", Confirm, "known prompt", "Delete all the files? "},
	{"doc-cargo-login", Line, "above", "please paste the token found on https://crates.io/me below"},
	{"doc-dev-server", Line, "above", "  ➜  Local:   http://localhost:5173/\n  ➜  Network: use --host to expose\n  ➜  press h + enter to show help"},
	{"doc-docker-exec", REPL, "known prompt", "root@3f4e5a6b7c8d:/app# "},
	{"doc-docker-prune", Confirm, "known prompt", "Are you sure you want to continue? [y/N] "},
	{"doc-dpkg-conffile", Choice, "known prompt", " ==> Modified (by you or by a script) since installation.\n ==> Package distributor has shipped an updated version.\n   What would you like to do about it ?  Your options are:\n    Y or I  : install the package maintainer's version\n    N or O  : keep your currently-installed version\n      D     : show the differences between the versions\n      Z     : start a shell to examine the situation\n The default action is to keep your current version.\n*** foo.conf (Y/I/N/O/D/Z) [default=N] ? "},
	{"doc-fdisk", Line, "known prompt", "Command (m for help): "},
	{"doc-gh", Choice, "known", "? Where do you use GitHub?  [Use arrows to move, type to filter]\n> GitHub.com\nOther"},
	{"doc-ghci", REPL, "known prompt", "ghci> "},
	{"doc-git-bisect", Confirm, "known prompt", "Do you want me to do it for you [Y/n]? "},
	{"doc-hit-return", Key, "known prompt", "Hit return to continue "},
	{"doc-huh", Line, "known", "What is your name?\n>"},
	{"doc-iex", REPL, "known prompt", "iex(1)> "},
	{"doc-ipython", REPL, "known prompt", "In [1]: "},
	{"doc-julia", REPL, "known prompt", "julia> "},
	{"doc-kubectl", REPL, "known prompt", "/ # "},
	{"doc-lambda", REPL, "known prompt", "λ "},
	{"doc-login", Line, "known prompt", "host login: "},
	{"doc-mariadb", REPL, "known prompt", "    -> "},
	{"doc-more-script", Pager, "known prompt drawn", "--More--"},
	{"doc-mysql", REPL, "known prompt", "mysql> "},
	{"doc-mysql-secure", Confirm, "known prompt", "Remove anonymous users? [Y/n] "},
	{"doc-npm-login", Key, "known prompt", "Press ENTER to open in the browser..."},
	{"doc-npm-otp", Line, "known prompt", "Enter OTP: "},
	{"doc-otp", Line, "known prompt", "Enter MFA code for arn:aws:iam::123456789012:mfa/bob: "},
	{"doc-parted", REPL, "known prompt", "(parted) "},
	{"doc-power10k", REPL, "known prompt", "╰─❯ "},
	{"doc-psql", REPL, "known prompt", "postgres=# "},
	{"doc-psql-more", REPL, "known prompt", "postgres-# "},
	{"doc-r", REPL, "known prompt", "> "},
	{"doc-ssh-otp", Password, "known secret prompt", "Verification code: "},
	{"doc-terraform", Confirm, "known prompt", "Do you want to perform these actions?\n  Terraform will perform the actions described above.\n  Only 'yes' will be accepted to approve.\n\n  Enter a value: "},
	{"doc-terraform-var", Line, "known prompt", "var.region\n  The region to deploy to.\n\n  Enter a value: "},
	{"doc-trust", Choice, "known", "Do you trust this folder?\n❯ 1. Yes, proceed\n2. No, exit"},
	{"doc-type-yes", Confirm, "known prompt", "Please type 'yes', 'no' or the fingerprint: "},
	{"doc-vim-swap", Choice, "known prompt drawn", "[O]pen Read-Only, (E)dit anyway, (R)ecover, (Q)uit, (A)bort: "},
	{"doc-wide", Line, "known prompt", "ファイル名を入力してください: "},
	{"ed", Line, "above", "6"},
	{"emacs", Editor, "known drawn", "File Edit Options Buffers Tools Lisp-Interaction Help"},
	{"enq-confirm", Confirm, "known", "? Want to answer? (y/N) ‣ false"},
	{"enq-multiselect", Choice, "known", "? Pick toppings …\n✔ cheese\n✔ ham\n✔ olives"},
	{"enq-select", Choice, "known", "? Pick a flavor …\n▸ apple\ngrape"},
	{"ex", Editor, "known prompt drawn", "\"q1\" 1L, 2B"},
	{"find-ok", Confirm, "known prompt", "< rm ... ./a.txt > ? "},
	{"fish", REPL, "known prompt", "root@vm /s/demo# "},
	{"fish-read", Line, "known prompt", "Your name: "},
	{"fsck", Confirm, "known prompt", "Inode 2 ref count is 9, should be 3.  Fix<y>? "},
	{"ftp", REPL, "known prompt", "ftp> "},
	{"fzf", TUI, "known prompt drawn", "20"},
	{"gdb", REPL, "known prompt", "(gdb) "},
	{"gdb-pending", Confirm, "known prompt", "Function \"nosuch\" not defined.\nMake breakpoint pending on future shared library load? (y or [n]) "},
	{"gdb-quit", Confirm, "known prompt", "Quit anyway? (y or n) "},
	{"git-add-p", Confirm, "known prompt", "(1/1) Stage this hunk [y,n,q,a,d,e,?]? "},
	{"git-clean-i", Choice, "known prompt", "Would remove the following item:\n  junk\n*** Commands ***\n    1: clean                2: filter by pattern    3: select by numbers\n    4: ask each             5: quit                 6: help\nWhat now> "},
	{"git-commit-nano", Editor, "known drawn", "GNU nano 7.2           /srv/demo/repo2/.git/COMMIT_EDITMSG"},
	{"git-commit-vim", Editor, "known drawn", "# Please enter the commit message for your changes. Lines starting"},
	{"git-credential", Line, "known prompt", "Username for 'https://example.com': "},
	{"git-credential-pass", Password, "known secret prompt", "Password for 'https://bob@example.com': "},
	{"git-help", Pager, "known prompt drawn", ":"},
	{"git-log", Pager, "known prompt drawn", ":"},
	{"git-rebase-i", Editor, "known drawn", "pick 006f2d4 one"},
	{"gpg-gen", Choice, "known prompt", "Please select what kind of key you want:\n   (1) RSA and RSA (default)\n   (2) DSA and Elgamal\n   (3) DSA (sign only)\n   (4) RSA (sign only)\n  (14) Existing key from card\nYour selection? "},
	{"gpg-quick", Confirm, "known prompt", "Continue? (Y/n) "},
	{"gpg-sym", Password, "known secret prompt", "Enter passphrase: "},
	{"gum-choose", Choice, "known", "Pick a card:\n> ace\nking\nqueen"},
	{"gum-confirm", Confirm, "known", "Really delete?\nYes        No"},
	{"gum-input", Line, "known", "Your name\n> Bob"},
	{"gum-password", Password, "known secret", "Password\n> type here"},
	{"gzip", Confirm, "known prompt", "gzip: a.txt.gz already exists; do you wish to overwrite (y or n)? "},
	{"htop", TUI, "known drawn", "0[                            0.0%] Tasks: 1, 0 thr, 0 kthr; 1 running"},
	{"inq-confirm", Confirm, "known prompt", "[?] Go on? (y/N): "},
	{"inq-list", Choice, "known", "[?] What size do you need?:\n> Jumbo\nLarge\nSmall"},
	{"inq-password", Line, "known prompt", "[?] Your code: "},
	{"inq-text", Line, "known prompt", "[?] Your surname: "},
	{"inquirer-confirm", Confirm, "known prompt", "? Continue? (Y/n) "},
	{"inquirer-input", Line, "known", "? Enter your name "},
	{"inquirer-password", Password, "known secret", "? Enter the token [input is masked]"},
	{"inquirer-rawlist", Choice, "known", "? Select one\n1) npm\n2) yarn"},
	{"inquirer-select", Choice, "known", "? Select a package manager\n❯ npm\nyarn\npnpm"},
	{"ipython", REPL, "known prompt", "In [1]: "},
	{"iqpy-confirm", Confirm, "known prompt", "? Proceed? (y/N) "},
	{"iqpy-fuzzy", Choice, "known", "? Search:\n❯   3/3\n❯ a\nb\nc"},
	{"iqpy-secret", Password, "known secret prompt", "? New password: "},
	{"iqpy-select", Choice, "known prompt", "? Select an action:\n❯ Upload\nDownload"},
	{"irb", REPL, "known prompt", "irb(main):001:0> "},
	{"joe", Editor, "known drawn", "IW   a.txt                                                 Row 1    Col 1"},
	{"ksh", REPL, "known prompt", "ksh$ "},
	{"less", Pager, "known drawn", "long.txt"},
	{"less-M", Pager, "known prompt drawn", "long.txt lines 1-23/200 9%"},
	{"less-end", Pager, "known prompt drawn", "(END)"},
	{"less-notfound", Pager, "known prompt drawn", "Pattern not found  (press RETURN)"},
	{"less-search", Pager, "known drawn", "/foo"},
	{"ln-i", Confirm, "known prompt", "ln: replace 'b.txt'? "},
	{"lua", REPL, "known prompt", "> "},
	{"man", Pager, "known drawn", " Manual page ls(1) line 1 (press h for help or q to quit)"},
	{"mc", TUI, "known prompt drawn", "mc [root@vm]:/srv/demo"},
	{"mergetool", Key, "known prompt", "Hit return to start merge resolution tool (vimdiff): "},
	{"micro", Editor, "known drawn", "1 hello"},
	{"mke2fs", Confirm, "known prompt", "Proceed anyway? (y,N) "},
	{"more", Pager, "known prompt drawn", "--More--(8%)"},
	{"mutt", Confirm, "known prompt drawn", "/srv/home/Mail does not exist. Create it? ([yes]/no): "},
	{"mv-i", Confirm, "known prompt", "mv: overwrite 'b.txt'? "},
	{"nano", Editor, "known drawn", "GNU nano 7.2                          b.txt"},
	{"nano-lock", Confirm, "known prompt drawn", "File a.txt is being edited by root (with VIM 9.0, PID 18110); open anyway?"},
	{"nano-save", Confirm, "known prompt drawn", "Save modified buffer? "},
	{"next", Line, "known", "? What is your project named? › my-app"},
	{"node-debug", REPL, "known prompt", "debug> "},
	{"node-question", Line, "known prompt", "Port? "},
	{"node-repl", REPL, "known prompt", "> "},
	{"node-repl-more", REPL, "known prompt", "... "},
	{"npm-init", Line, "known prompt", "package name: (demo) "},
	{"npm-vite", Confirm, "known prompt", "Ok to proceed? (y) "},
	{"npm-vite2", Line, "known", "◆  Project name:"},
	{"npx", Confirm, "known prompt", "Ok to proceed? (y) "},
	{"nvi", Editor, "known drawn", "b.txt: unmodified: line 1"},
	{"openssl-enc", Password, "known secret prompt", "Enter PEM pass phrase:"},
	{"openssl-req", Line, "known prompt", "Country Name (2 letter code) [AU]:"},
	{"passwd", Password, "known secret prompt", "New password: "},
	{"patch", Line, "known prompt", "File to patch: "},
	{"perl-debug", REPL, "known prompt", "  DB<1> "},
	{"php", REPL, "known prompt", "php > "},
	{"pip", Confirm, "known prompt", "Uninstalling questionary-2.1.1:\n  Would remove:\n    /usr/lib/python3.11/site-packages/questionary-2.1.1.dist-info/*\n    /usr/lib/python3.11/site-packages/questionary/*\nProceed (Y/n)? "},
	{"pipe-less", Pager, "known drawn", ":"},
	{"prompts-confirm", Confirm, "known", "? Can you confirm? › (Y/n)"},
	{"prompts-default", Line, "known", "? Project name › my-app"},
	{"prompts-password", Password, "known secret prompt", "? Tell me a secret › "},
	{"prompts-select", Choice, "known", "? Pick a color › - Use arrow-keys. Return to submit.\n❯   red\ngreen\nblue"},
	{"prompts-text", Line, "known prompt", "? What is your name? › "},
	{"ptk-input", Line, "known drawn", "Name\nYour name:\n<OK> <Cancel>"},
	{"ptk-line", Line, "known prompt", "Host: "},
	{"ptk-pass", Password, "known secret drawn", "Login\nYour password:\n<OK> <Cancel>"},
	{"ptk-password", Password, "known secret prompt", "Password: "},
	{"ptk-radio", Choice, "known drawn", "Pick\nWhich one?\n(*) red                                 ^\n( ) blue                                v\n<Ok> <Cancel>"},
	{"ptk-yesno", Confirm, "known drawn", "Deploy\nDo you want to go on?\n<Yes> <No>"},
	{"python-confirm", Confirm, "known prompt", "This deletes 3 files:\n  - a\n  - b\n  - c\nDelete them (yes/no)? "},
	{"python-getpass", Password, "known secret prompt", "Password: "},
	{"python-help", REPL, "known prompt", "help> "},
	{"python-input", Line, "known prompt", "What is it? "},
	{"python-input-bare", Line, "", ""},
	{"python-input-gt", Line, "known prompt", "> "},
	{"python-input-in-repl", Line, "known prompt", "Age: "},
	{"python-pdb", REPL, "known prompt", "(Pdb) "},
	{"python-repl", REPL, "known prompt", ">>> "},
	{"python-repl-more", REPL, "known prompt", "... "},
	{"q-checkbox", Choice, "known", "? Select toppings (Use arrow keys to move, <space> to select, <a> to toggle, <i>\nto invert)\n» ○ Cheese\n○ Tomato\n○ Pineapple"},
	{"q-confirm", Confirm, "known prompt", "? Are you amazed? (Y/n) "},
	{"q-password", Password, "known secret prompt", "? What is your secret? "},
	{"q-path", Line, "known", "? Path to the file "},
	{"q-select", Choice, "known", "? What do you want to do? (Use arrow keys)\n» Order a pizza\nMake a reservation\nAsk for opening hours"},
	{"q-text", Line, "known prompt", "? What is your name? "},
	{"redis", REPL, "known prompt", "not connected> "},
	{"rich-ask", Line, "known prompt", "Enter your name (Paul): "},
	{"rich-choices", Choice, "known prompt", "Pick a fruit [apple/pear]: "},
	{"rich-confirm", Confirm, "known prompt", "Do you like rich? [y/n]: "},
	{"rm-I", Confirm, "known prompt", "rm: remove 4 arguments? "},
	{"rm-i", Confirm, "known prompt", "rm: remove regular file 'a.txt'? "},
	{"rm-ri", Confirm, "known prompt", "rm: descend into directory 'repo'? "},
	{"screen-welcome", TUI, "known drawn", "GNU Screen version 4.09.00 (GNU) 30-Jan-22"},
	{"select-editor", Choice, "known prompt", "Select an editor.  To change later, run 'select-editor'.\n  1. /usr/bin/joe\n  2. /usr/bin/jstar\n  3. /usr/bin/jpico\n  4. /usr/bin/jmacs\n  5. /usr/bin/micro\n  6. /bin/nano        <---- easiest\n  7. /usr/bin/vim.basic\n  8. /usr/bin/rjoe\n  9. /usr/bin/mcedit\n  10. /usr/bin/nvi\n  11. /usr/bin/emacs\n  12. /bin/ed\n\nChoose 1-12 [6]: "},
	{"sftp", REPL, "known prompt", "sftp> "},
	{"sqlite3", REPL, "known prompt", "sqlite> "},
	{"sqlite3-more", REPL, "known prompt", "   ...> "},
	{"ssh-add", Password, "known secret prompt", "Enter passphrase for /srv/demo/enckey: "},
	{"ssh-hostkey", Confirm, "known prompt", "The authenticity of host '[127.0.0.1]:2299 ([127.0.0.1]:2299)' can't be established.\nED25519 key fingerprint is SHA256:p/fo7M80hmmXfBLluTaC1FHdPnnqeYfTbNCE5bIGckU.\nThis key is not known by any other names.\nAre you sure you want to continue connecting (yes/no/[fingerprint])? "},
	{"ssh-keygen-file", Line, "known prompt", "Enter file in which to save the key (/root/.ssh/id_ed25519): "},
	{"ssh-keygen-overwrite", Confirm, "known prompt", "Generating public/private ed25519 key pair.\n/srv/home/.ssh/id_old already exists.\nOverwrite (y/n)? "},
	{"ssh-keygen-pass", Password, "known secret prompt", "Enter passphrase (empty for no passphrase): "},
	{"ssh-password", Password, "known secret prompt", "promptuser@127.0.0.1's password: "},
	{"ssh-remote-password", Password, "known secret prompt", "[sudo] password for promptuser: "},
	{"ssh-shell", REPL, "known prompt", "$ "},
	{"stash-p", Confirm, "known prompt", "(1/1) Stash this hunk [y,n,q,a,d,e,?]? "},
	{"su", Password, "known secret prompt", "Password: "},
	{"sudo", Password, "known secret prompt", "[sudo] password for promptuser: "},
	{"survey-confirm", Confirm, "known prompt", "? Delete it? (y/N) "},
	{"survey-input", Line, "known prompt", "? What is your name? "},
	{"survey-password", Password, "known secret prompt", "? Type your secret "},
	{"survey-select", Choice, "known", "? Choose a color:  [Use arrows to move, type to filter]\n> red\nblue\ngreen"},
	{"tar-w", Confirm, "known prompt", "add ‘q1’?"},
	{"telnet", REPL, "known prompt", "telnet> "},
	{"tig", TUI, "known drawn", "2026-11-20 20:54 +0000 Unknown o Untracked changes"},
	{"tmux", TUI, "known prompt drawn", "bash-5.2# ls"},
	{"top", TUI, "known drawn", "top - 20:54:17 up 26 min,  0 user,  load average: 0.54, 1.61, 1.50"},
	{"unzip", Confirm, "known prompt", "replace a.txt? [y]es, [n]o, [A]ll, [N]one, [r]ename: "},
	{"unzip-enc", Password, "known secret prompt", "[enc.zip] b.txt password: "},
	{"vim", Editor, "known drawn", "hello"},
	{"vim-enter", Key, "known prompt drawn", "Press ENTER or type command to continue"},
	{"vim-substitute", Confirm, "known prompt drawn", "replace with 2 (y/n/a/q/l/^E/^Y)?"},
	{"whiptail-checklist", Choice, "known drawn", "Select packages\n[*] a  Alpha\n[ ] b  Beta\n<Ok> <Cancel>"},
	{"whiptail-input", Line, "known drawn", "What is your name?\n<Ok> <Cancel>"},
	{"whiptail-menu", Choice, "known drawn", "Menu\nChoose an option\n1 First\n2 Second\n<Ok> <Cancel>"},
	{"whiptail-msg", Key, "known drawn", "All is done.\n<Ok>"},
	{"whiptail-password", Password, "known secret drawn", "Enter your password\n<Ok> <Cancel>"},
	{"whiptail-passwordbox", Password, "known secret drawn", "Your PIN\n<Ok> <Cancel>"},
	{"whiptail-yesno", Confirm, "known drawn", "Example\nIs this a question?\n<Yes> <No>"},
	{"xargs-p", Confirm, "known prompt", "rm a b?..."},
	{"zsh", REPL, "known prompt", "root /srv/demo # "},
	{"zsh-read-q", Confirm, "known prompt", "Remove it? "},
	{"zsh-rprompt", REPL, "known prompt", "% "},
	{"zsh-select", Choice, "known prompt", "Which colour?\n1) red     2) green   3) blue\n?# "},
}

// flags is Question's booleans and the answer of AtPrompt as readings has them.
func flags(q Question, prompt bool) string {
	var all []string
	for _, f := range []struct {
		set  bool
		name string
	}{{q.Known, "known"}, {q.Secret, "secret"}, {prompt, "prompt"}, {q.Drawn, "drawn"}, {q.Above, "above"}} {
		if f.set {
			all = append(all, f.name)
		}
	}
	return strings.Join(all, " ")
}

func TestRead(t *testing.T) {
	b, all := NewBook(nil), recordings(t)
	for _, tt := range readings {
		r, ok := all[tt.name]
		if !ok {
			t.Errorf("%s: there is no such recording", tt.name)
			continue
		}
		delete(all, tt.name)
		s := r.scene()
		q := b.Read(s)
		text := q.Text
		if q.Kind == TUI || q.Kind == Editor {
			text, _, _ = strings.Cut(text, "\n")
		}
		if got := flags(q, b.AtPrompt(s, false)); q.Kind != tt.kind || got != tt.flags || text != tt.text {
			t.Errorf("%s:\n got %s, %q, %q\nwant %s, %q, %q", tt.name, q.Kind, got, text, tt.kind, tt.flags, tt.text)
		}
	}
	for name := range all {
		t.Errorf("%s: nothing is said about this recording", name)
	}
}

// Which rows belong to a question.
func TestReadRows(t *testing.T) {
	tests := []struct {
		name    string
		cols    int
		since   int
		written string
		kind    Kind
		want    string
	}{
		{name: "what is above was answered", since: 1, written: "Are you there?\r\nSure? [y/N] ", kind: Confirm, want: "Sure? [y/N] "},
		{name: "a sentence above belongs to it", written: "This deletes all.\r\nSure? [y/N] ", kind: Confirm, want: "This deletes all.\nSure? [y/N] "},
		{name: "a blank line is a border", written: "This deletes all.\r\n\r\nSure? [y/N] ", kind: Confirm, want: "Sure? [y/N] "},
		{name: "other output does not belong to it", written: "hello\r\nSure? [y/N] ", kind: Confirm, want: "Sure? [y/N] "},
		{
			name: "a list belongs to the line above it", written: "Remove:\r\n  a\r\n  b\r\nSure? [y/N] ",
			kind: Confirm, want: "Remove:\n  a\n  b\nSure? [y/N] ",
		},
		{
			name: "of a long list the end", written: "Remove:\r\n" + strings.Repeat("  a\r\n", 12) + "Sure? [y/N] ",
			kind: Confirm, want: strings.Repeat("  a\n", 8) + "Sure? [y/N] ",
		},
		{
			name: "a list whose lines the terminal broke", cols: 14, written: "Remove:\r\n  a/long/file/name\r\n  b\r\nSure? [y/N] ",
			kind: Confirm, want: "Remove:\n  a/long/file/name\n  b\nSure? [y/N] ",
		},
		{name: "a list without a line above", written: "hello\r\n  a\r\n  b\r\nSure? [y/N] ", kind: Confirm, want: "Sure? [y/N] "},
		{name: "rows that the terminal broke", cols: 10, written: "hello\r\nWhat is your name? ", kind: Line, want: "What is your name? "},
		{name: "up to the last column", cols: 10, written: "Full name:", kind: Line, want: "Full name:"},
		{name: "an answer that is edited", written: "Name: Bob\x1b[3D", kind: Line, want: "Name: Bob"},
		{name: "wide characters", written: "名前は? ", kind: Line, want: "名前は? "},
		{name: "blanks that were not written", written: "Name:\x1b[8G", kind: Line, want: "Name:  "},
		{name: "nothing", written: "", kind: Line, want: ""},
		{name: "only the line above was printed since", since: 1, written: "First?\r\nSecond?\r\n", kind: Line, want: "Second?"},
		{name: "the paragraph above a blank line", written: "Old\r\n\r\nWe need it.\r\nWhat is it?\r\n", kind: Line, want: "We need it.\nWhat is it?"},
		{name: "at most eight rows of it", written: strings.Repeat("row\r\n", 12), kind: Line, want: strings.Repeat("row\n", 7) + "row"},
		{name: "letters of others", written: "Удалить? [д/н] ", kind: Confirm, want: "Удалить? [д/н] "},
		{name: "words of others", written: "Введите пароль: ", kind: Password, want: "Введите пароль: "},
		{name: "a menu without a question", written: "1) a\r\n2) b\r\n> ", kind: Choice, want: "1) a\n2) b\n> "},
		{
			name: "a block with its head", written: "old\r\n\r\nvar.region\r\n  Region to use\r\n\r\n  Enter a value: ",
			kind: Line, want: "var.region\n  Region to use\n\n  Enter a value: ",
		},
		{name: "its head alone", written: "old\r\nvar.region\r\n  Enter a value: ", kind: Line, want: "var.region\n  Enter a value: "},
		{name: "of an answered block nothing", since: 2, written: "a.b\r\n  Text\r\n\r\n  Value: ", kind: Line, want: "  Value: "},
		{name: "a sentence is no head", written: "Press Enter for none\r\n  Value: ", kind: Line, want: "  Value: "},
		{name: "nothing was printed since", since: 1, written: "First?\r\n", kind: Line, want: ""},
		{name: "nothing was, and not even a line was ended", since: 2, written: "First?\r\n", kind: Line, want: ""},
		{name: "nothing was after blank lines", since: 1, written: "First?\r\n\r\n\r\n", kind: Line, want: ""},
		{name: "nothing was after a menu", since: 4, written: "Pick:\r\n1) a\r\n2) b\r\n? 1\r\n", kind: Line, want: ""},
		{name: "the rest of what was typed", since: 1, cols: 10, written: "$ echo Are you sure?; cat\r\n", kind: Line, want: ""},
		{name: "a menu in columns", written: "Pick\r\n1) a  3) c\r\n?# ", kind: Choice, want: "Pick\n1) a  3) c\n?# "},
		{name: "one item is no menu", written: "1) a\r\n> ", kind: Line, want: "> "},
		{name: "a menu that was answered", since: 2, written: "1) a\r\n2) b\r\n> ", kind: Line, want: "> "},
	}
	for _, tt := range tests {
		cols := tt.cols
		if cols == 0 {
			cols = 80
		}
		term := screen.New(cols, 24, 0)
		term.Write([]byte(tt.written))
		q := NewBook(nil).Read(Scene{
			Picture: term.Snapshot(screen.Visible()), Since: tt.since, Command: "installer", Canonical: true, Echo: true,
		})
		if q.Kind != tt.kind || q.Text != tt.want {
			t.Errorf("%s: %s %q, want %s %q", tt.name, q.Kind, q.Text, tt.kind, tt.want)
		}
	}
}

// The settings of the terminal decide what the text does not.
func TestReadModes(t *testing.T) {
	tests := []struct {
		command, written string
		canonical, echo  bool
		want             string // kind and flags
	}{
		{"x", "Key: ", true, false, "password known secret"},
		{"x", "Say: ", true, false, "password secret"},
		{"x", "Password: ", true, true, "password known secret"},
		{"x", "Password: ", false, false, "password known secret"},
		{"x", "\x1b[?1049hPassword: ", false, false, "password known secret drawn"},
		{"x", "Password: ", false, true, "key"},
		{"x", "Change the password? [y/N] ", false, false, "confirm known"},
		{"x", "hello", false, true, "key"},
		{"x", "Sure (y/n)? ", false, true, "confirm known"},
		{"x", "\x1b[?1049hhello", false, false, "tui drawn"},
		{"x", "\x1b[?25lhello", false, false, "tui drawn"},
		{"x", "hello\r\n", false, false, "key above"},
		{"x", "hello", true, true, "line"},
		{"x", "hello\r\n", true, true, "line above"},
		{"x", "Name?\r\n", true, true, "line known"},
		{"x", "Name:\r\n\r\n", true, true, "line known"},
		{"x", "Press Enter to go on.\r\n", true, true, "key known"},
		{"x", "Colour?\r\n1) red\r\n2) green\r\n", true, true, "choice known"},
		{"x", "Password: accepted\r\n", true, true, "line above"},
		{"x", "Password: accepted\r\n", true, false, "password known secret above"},
		{"x", "Your PIN:\r\n", true, false, "password known secret"},
		{"x", "Sure? [y/N] y\r\n", true, true, "line above"},
		{"x", "Sure? [y/N]\r\n", true, true, "confirm known"},
		{"x", "[y/N] hello\r\n", false, true, "confirm known"},
		{"x", "\x1b[?1049hName: ", true, true, "line known"},
		{"x", "┌────────────┐\r\n│ Go on?     │\r\n│            │\r\n│ <Yes> <No> │\r\n└────────────┘\x1b[?25l", false, false, "confirm known drawn"},
		{"bash", "\x1b[?1049hSure? [y/N] ", true, true, "confirm known"},
		{"bash", "~ ls", false, false, "repl known"},
		{"bash", "edit> ", false, false, "line known"},
		{"bash", "~/src> ", false, false, "repl known"},
		{"bash", "> ", false, false, "repl known"},
		{"fish", "bob@host ~> ", false, false, "repl known"},
		{"sqlite3", "edit> ", false, false, "repl known"},
		{"busybox", "\x1b[24H:", false, false, "pager known drawn"},
		{"busybox", "\x1b[24Ha.txt 12%", false, false, "pager known drawn"},
		{"busybox", "\x1b[24H(END)", false, false, "pager known drawn"},
		{"busybox", "\x1b[24H/ # ", false, false, "repl known"},
		{"busybox", "\x1b[24HSure? [y/N] ", false, false, "confirm known"},
		{"editor", "\x1b[?1049hPress any key", false, false, "editor known drawn"},
		{"bash", "$ echo 'Sure? [y/N]", false, false, "repl known"},
		{"bash", "Sure? [y/N] ", false, false, "confirm known"},
		{"python3.12", ">>> ", false, false, "repl known"},
		{"python3.12", "Sure? [y/N] ", true, true, "confirm known"},
		{"vim.basic", "[y/N] ", false, false, "confirm known drawn"}, // it has left its screen to ask
		{"vim.basic", "\x1b[?1049h[y/N] ", false, false, "editor known drawn"},
		{"less", "Sure? [y/N] ", false, false, "pager known drawn"},
		{"less", "Sure? [y/N] ", true, true, "confirm known"},
		{"pager", ":", false, false, "pager known drawn"},
		{"bash", "\x1b[?1049hbash-5.2# ", false, false, "repl known"}, // in tmux
	}
	for _, tt := range tests {
		term := screen.New(80, 24, 0)
		term.Write([]byte(tt.written))
		q := NewBook(nil).Read(Scene{Picture: term.Snapshot(screen.Visible()), Command: tt.command, Canonical: tt.canonical, Echo: tt.echo})
		if got := strings.TrimSpace(fmt.Sprint(q.Kind, " ", flags(q, false))); got != tt.want {
			t.Errorf("%s, %q, canonical %v, echo %v: %s, want %s", tt.command, tt.written, tt.canonical, tt.echo, got, tt.want)
		}
	}
}

func TestReadWithoutPicture(t *testing.T) {
	for want, s := range map[Kind]Scene{
		Line:     {Canonical: true, Echo: true},
		Password: {Canonical: true},
		Key:      {Echo: true},
		Editor:   {Command: "vim"},
		Pager:    {Command: "less"},
		TUI:      {Command: "htop"},
	} {
		if q := NewBook(nil).Read(s); q.Kind != want || q.Text != "" {
			t.Errorf("%+v: %s %q, want %s", s, q.Kind, q.Text, want)
		}
	}
}

func TestReadOwn(t *testing.T) {
	b := NewBook([]Pattern{
		{Choice, regexp.MustCompile(`^Target: $`)},
		{Password, regexp.MustCompile(`(?m)^Vault`)},
		{Line, regexp.MustCompile(`\[y/N\] $`)},
	})
	for written, want := range map[string]Kind{
		"Target: ":         Choice,
		"Vault key, bob: ": Password,
		"Sure? [y/N] ":     Line,
		"Name: ":           Line,
		"Target: x":        Line,
	} {
		term := screen.New(80, 24, 0)
		term.Write([]byte(written))
		s := Scene{Picture: term.Snapshot(screen.Visible()), Canonical: true, Echo: true}
		if q := b.Read(s); q.Kind != want || q.Text != written {
			t.Errorf("%q: %s %q, want %s", written, q.Kind, q.Text, want)
		}
		s.Command, s.Canonical, s.Echo = "vim", false, false
		if q := b.Read(s); want == Choice && q.Kind != Editor {
			t.Errorf("%q in an editor: %s", written, q.Kind)
		}
	}
}

// Any picture can be read, in any mode.
func FuzzRead(f *testing.F) {
	all := recordings(f)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		r := all[name]
		f.Add([]byte(r.Data), r.Command, uint8(i), uint16(r.Cols), uint8(r.Rows), int8(0))
	}
	own := []Pattern{{Choice, regexp.MustCompile(`own`)}, {Confirm, regexp.MustCompile(`ask`)}}
	books := []*Book{NewBook(nil), NewBook(own)}
	f.Fuzz(func(t *testing.T, data []byte, command string, modes uint8, cols uint16, rows uint8, since int8) {
		term := screen.New(int(cols%200), int(rows%60), 10)
		term.Write(data)
		s := Scene{
			Picture: term.Snapshot(screen.View{First: -int(modes >> 4), Last: screen.MaxRows}), Since: int(since),
			Command: command, Canonical: modes&1 != 0, Echo: modes&2 != 0,
		}
		b := books[modes>>2&1]
		q := b.Read(s)
		b.AtPrompt(s, modes&8 != 0)
		if len(q.Text) > most || !utf8.ValidString(q.Text) {
			t.Errorf("%d bytes of text, valid %v", len(q.Text), utf8.ValidString(q.Text))
		}
		if q.Kind == "" || strings.HasSuffix(q.Text, "\n") {
			t.Errorf("%q %q", q.Kind, q.Text)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	all, book := recordings(b), NewBook(nil)
	for _, name := range []string{"bash", "apt-get", "gpg-gen", "inquirer-select", "vim", "dialog-menu", "mc"} {
		s := all[name].scene()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				book.Read(s)
			}
		})
	}
}

func BenchmarkAtPrompt(b *testing.B) {
	all, book := recordings(b), NewBook(nil)
	for _, name := range []string{"bash", "apt-get", "doc-dev-server", "mc", "bash-typed", "doc-login"} {
		s := all[name].scene()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				book.AtPrompt(s, false)
			}
		})
	}
}

// A picture as large as can be, full of what looks like a menu.
func BenchmarkReadLargest(b *testing.B) {
	term := screen.New(screen.MaxCols, screen.MaxRows, 0)
	term.Write([]byte("\x1b[?25l"))
	for range screen.MaxRows {
		term.Write([]byte("\r\n" + strings.Repeat("1) ┌ > [y/n ", 83)))
	}
	book := NewBook(nil)
	for _, command := range []string{"x", "htop", "vim"} {
		s := Scene{Picture: term.Snapshot(screen.Visible()), Command: command}
		b.Run(command, func(b *testing.B) {
			for b.Loop() {
				book.Read(s)
			}
		})
	}
}

// The patterns are compiled once a Book, when they are first needed.
func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		compile()
	}
}
