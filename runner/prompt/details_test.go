package prompt

import (
	"encoding/json"
	"strings"
	"testing"

	"devtools/screen"
)

// What the screens of real programs say about the answer.
func TestDetailsRecorded(t *testing.T) {
	all := recordings(t)
	for name, want := range map[string]string{
		"svn-conflict":           `{"question":"Updated to revision 2.\nSummary of conflicts:\nText conflicts: 1\nMerge conflict discovered in file 'b/f'.\nSelect: (p) Postpone, (df) Show diff, (e) Edit file, (m) Merge,\n(s) Show all options:","choices":[{"text":"Postpone","key":"p"},{"text":"Show diff","key":"df"},{"text":"Edit file","key":"e"},{"text":"Merge","key":"m"},{"text":"Show all options","key":"s"}],"field":""}`,
		"hg-commit-i":            `{"question":"examine changes to 'a'?\n[Ynesfdaq?]","choices":[{"text":"Y","key":"Y"},{"text":"n","key":"n"},{"text":"e","key":"e"},{"text":"s","key":"s"},{"text":"f","key":"f"},{"text":"d","key":"d"},{"text":"a","key":"a"},{"text":"q","key":"q"},{"text":"?","key":"?"}],"default":"Y","field":""}`,
		"hg-merge":               `{"question":"file 'a' was deleted in local [working copy] but was modified in other [merge rev].\nYou can use (c)hanged version, leave (d)eleted, or leave (u)nresolved.\nWhat do you want to do?","choices":[{"text":"changed version","key":"c"},{"text":"deleted","key":"d"},{"text":"unresolved","key":"u"}],"field":""}`,
		"whiptail-checklist-3":   `{"question":"Which?","choices":[{"text":"r  red","marked":true,"ticked":true},{"text":"g  green"},{"text":"b  blue"}],"multiple":true}`,
		"gum-choose-several":     `{"question":"Choose:","choices":[{"text":"red","marked":true},{"text":"green"},{"text":"blue"}],"multiple":true}`,
		"prompts-multiselect-3":  `{"question":"Pick","choices":[{"text":"Red"},{"text":"Green","ticked":true},{"text":"Blue"}],"multiple":true}`,
		"whiptail-menu":          `{"question":"Choose an option","choices":[{"text":"1 First","marked":true},{"text":"2 Second"}]}`,
		"whiptail-yesno":         `{"question":"Is this a question?","choices":[{"text":"Yes","marked":true},{"text":"No"}]}`,
		"dialog-menu":            `{"question":"Choose one of these:","choices":[{"text":"1  One","marked":true},{"text":"2  Two"}]}`,
		"ptk-yesno":              `{"question":"Do you want to go on?","choices":[{"text":"Yes","marked":true},{"text":"No"}]}`,
		"clack-select":           `{"question":"Pick a project type","choices":[{"text":"TypeScript","marked":true,"ticked":true},{"text":"JavaScript"}]}`,
		"clack-multiselect":      `{"question":"Additional tools","choices":[{"text":"Prettier"},{"text":"ESLint"}],"multiple":true}`,
		"clack-confirm":          `{"question":"Install dependencies?","choices":[{"text":"Yes","marked":true,"ticked":true},{"text":"No"}]}`,
		"inquirer-select":        `{"question":"Select a package manager","choices":[{"text":"npm","marked":true},{"text":"yarn"},{"text":"pnpm"}]}`,
		"inquirer-checkbox":      `{"question":"Select toppings","choices":[{"text":"ham","marked":true},{"text":"olives"}],"multiple":true}`,
		"enq-multiselect":        `{"question":"Pick toppings","choices":[{"text":"cheese","ticked":true},{"text":"ham","ticked":true},{"text":"olives","ticked":true}],"multiple":true}`,
		"prompts-select":         `{"question":"Pick a color","choices":[{"text":"red","marked":true},{"text":"green"},{"text":"blue"}]}`,
		"q-select":               `{"question":"What do you want to do?","choices":[{"text":"Order a pizza","marked":true},{"text":"Make a reservation"},{"text":"Ask for opening hours"}]}`,
		"dialoguer-select":       `{"question":"Deploy to","choices":[{"text":"Staging"},{"text":"Production"},{"text":"None"}]}`,
		"dialoguer-multiselect":  `{"question":"Features:","choices":[{"text":"Staging","marked":true},{"text":"Production"},{"text":"None"}],"multiple":true}`,
		"gum-choose":             `{"question":"Pick a card:","choices":[{"text":"ace","marked":true},{"text":"king"},{"text":"queen"}]}`,
		"gum-confirm":            `{"question":"Really delete?","choices":[{"text":"Yes"},{"text":"No"}]}`,
		"gum-filter":             `{"question":"> Filter...","choices":[{"text":"red"},{"text":"blue"}]}`,
		"doc-trust":              `{"question":"Do you trust this folder?","choices":[{"text":"Yes, proceed","key":"1","marked":true},{"text":"No, exit","key":"2"}]}`,
		"doc-gh":                 `{"question":"Where do you use GitHub?","choices":[{"text":"GitHub.com","marked":true},{"text":"Other"}]}`,
		"select-editor":          `{"question":"Select an editor.  To change later, run 'select-editor'.\nChoose 1-12 [6]:","choices":[{"text":"/usr/bin/joe","key":"1"},{"text":"/usr/bin/jstar","key":"2"},{"text":"/usr/bin/jpico","key":"3"},{"text":"/usr/bin/jmacs","key":"4"},{"text":"/usr/bin/micro","key":"5"},{"text":"/bin/nano","key":"6"},{"text":"/usr/bin/vim.basic","key":"7"},{"text":"/usr/bin/rjoe","key":"8"},{"text":"/usr/bin/mcedit","key":"9"},{"text":"/usr/bin/nvi","key":"10"},{"text":"/usr/bin/emacs","key":"11"},{"text":"/bin/ed","key":"12"}],"default":"6","field":""}`,
		"git-clean-i":            `{"question":"Would remove the following item:\njunk\n*** Commands ***\nWhat now>","choices":[{"text":"clean","key":"1"},{"text":"filter by pattern","key":"2"},{"text":"select by numbers","key":"3"},{"text":"ask each","key":"4"},{"text":"quit","key":"5"},{"text":"help","key":"6"}],"field":""}`,
		"bash-select-cols":       `{"choices":[{"text":"a","key":"1"},{"text":"c","key":"3"},{"text":"e","key":"5"},{"text":"g","key":"7"},{"text":"i","key":"9"},{"text":"k","key":"11"},{"text":"m","key":"13"},{"text":"b","key":"2"},{"text":"d","key":"4"},{"text":"f","key":"6"},{"text":"h","key":"8"},{"text":"j","key":"10"},{"text":"l","key":"12"}],"field":""}`,
		"powershell-confirm":     `{"question":"Are you sure you want to perform this action?\nPerforming the operation \"Remove File\" on target \"a.txt\".\n[Y] Yes  [A] Yes to All  [N] No  [L] No to All  [S] Suspend  [?] Help (default is \"Y\"):","choices":[{"text":"Yes","key":"Y"},{"text":"Yes to All","key":"A"},{"text":"No","key":"N"},{"text":"No to All","key":"L"},{"text":"Suspend","key":"S"},{"text":"Help","key":"?"}],"default":"Y","field":""}`,
		"doc-vim-swap":           `{"choices":[{"text":"Open Read-Only","key":"O"},{"text":"Edit anyway","key":"E"},{"text":"Recover","key":"R"},{"text":"Quit","key":"Q"},{"text":"Abort","key":"A"}],"default":"O","field":""}`,
		"unzip":                  `{"question":"replace a.txt? [y]es, [n]o, [A]ll, [N]one, [r]ename:","choices":[{"text":"yes","key":"y"},{"text":"no","key":"n"},{"text":"All","key":"A"},{"text":"None","key":"N"},{"text":"rename","key":"r"}],"field":""}`,
		"ssh-hostkey":            `{"question":"The authenticity of host '[127.0.0.1]:2299 ([127.0.0.1]:2299)' can't be established.\nED25519 key fingerprint is SHA256:p/fo7M80hmmXfBLluTaC1FHdPnnqeYfTbNCE5bIGckU.\nThis key is not known by any other names.\nAre you sure you want to continue connecting (yes/no/[fingerprint])?","choices":[{"text":"yes","key":"yes"},{"text":"no","key":"no"},{"text":"fingerprint"}],"field":""}`,
		"npm-init":               `{"question":"package name: (demo)","default":"demo","field":""}`,
		"openssl-req":            `{"question":"Country Name (2 letter code) [AU]:","default":"AU","field":""}`,
		"huh-default":            `{"question":"Which region?","field":"us"}`,
		"clack-text-default":     `{"question":"Where to?","field":"./app"}`,
		"clack-text-placeholder": `{"question":"Which region?","field":""}`,
		"prompts-default":        `{"question":"Project name","default":"my-app"}`,
		"mutt":                   `{"question":"/srv/home/Mail does not exist. Create it? ([yes]/no):","choices":[{"text":"yes","key":"yes"},{"text":"no","key":"no"}],"default":"yes","field":""}`,
		"python-repl":            `{}`,
		"less":                   `{}`,
		"vim":                    `{}`,
		"htop":                   `{}`,
		"sudo":                   `{"question":"[sudo] password for promptuser:"}`,
	} {
		r, ok := all[name]
		if !ok {
			t.Errorf("%s: there is no such recording", name)
			continue
		}
		s := r.scene()
		if got := details(t, s); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

// details returns the details of what a scene asks, without the cursor.
func details(t *testing.T, s Scene) string {
	t.Helper()
	d := NewBook(nil).Details(s, NewBook(nil).Read(s))
	d.Cursor = nil
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(data))
}

// The shapes of choices, defaults and fields, in what a program asks that reads lines.
func TestDetailsOfLine(t *testing.T) {
	for text, want := range map[string]string{
		"Sure? [Y/n] ":                          `{"question":"Sure? [Y/n]","choices":[{"text":"Y","key":"Y"},{"text":"n","key":"n"}],"default":"Y","field":""}`,
		"Sure? [y/N]: ":                         `{"question":"Sure? [y/N]:","choices":[{"text":"y","key":"y"},{"text":"N","key":"N"}],"default":"N","field":""}`,
		"Sure? (yes/no) ":                       `{"question":"Sure? (yes/no)","choices":[{"text":"yes","key":"yes"},{"text":"no","key":"no"}],"field":""}`,
		"Sure? (y or n) ":                       `{"question":"Sure? (y or n)","choices":[{"text":"y","key":"y"},{"text":"n","key":"n"}],"field":""}`,
		"Sure? (y or [n]) ":                     `{"question":"Sure? (y or [n])","choices":[{"text":"y","key":"y"},{"text":"n","key":"n"}],"default":"n","field":""}`,
		"Are you sure (yes/no/[fingerprint])? ": `{"question":"Are you sure (yes/no/[fingerprint])?","choices":[{"text":"yes","key":"yes"},{"text":"no","key":"no"},{"text":"fingerprint"}],"field":""}`,
		"Sure? [y,n,j,J,?]? ":                   `{"question":"Sure? [y,n,j,J,?]?","choices":[{"text":"y","key":"y"},{"text":"n","key":"n"},{"text":"j","key":"j"},{"text":"J","key":"J"},{"text":"?","key":"?"}],"field":""}`,
		"examine changes?\r\n(enter ? for help) [Ynesfdaq?] ": `{"question":"examine changes?\n[Ynesfdaq?]","choices":[{"text":"Y","key":"Y"},{"text":"n","key":"n"},{"text":"e","key":"e"},{"text":"s","key":"s"},{"text":"f","key":"f"},{"text":"d","key":"d"},{"text":"a","key":"a"},{"text":"q","key":"q"},{"text":"?","key":"?"}],"default":"Y","field":""}`,
		"Colour [red/green] (red): ":                          `{"question":"Colour [red/green] (red):","choices":[{"text":"red","key":"red"},{"text":"green","key":"green"}],"default":"red","field":""}`,
		"Colour [red/green]: ":                                `{"question":"Colour [red/green]:","field":""}`,
		"Date (DD/MM/YYYY): ":                                 `{"question":"Date (DD/MM/YYYY):","field":""}`,
		"Folder [src/main]: ":                                 `{"question":"Folder [src/main]:","field":""}`,
		"Folder [./src/main]: ":                               `{"question":"Folder [./src/main]:","default":"./src/main","field":""}`,
		"Score (n/a): ":                                       `{"question":"Score (n/a):","field":""}`,
		"Key (/root/.ssh/id): ":                               `{"question":"Key (/root/.ssh/id):","default":"/root/.ssh/id","field":""}`,
		"Name (optional): ":                                   `{"question":"Name (optional):","field":""}`,
		"Name [optional]: ":                                   `{"question":"Name [optional]:","field":""}`,
		"Age (years): ":                                       `{"question":"Age (years):","field":""}`,
		"Number [1-4]: ":                                      `{"question":"Number [1-4]:","field":""}`,
		"First sector (34-200, default 34): ":                 `{"question":"First sector (34-200, default 34):","default":"34","field":""}`,
		"name: (web) ":                                        `{"question":"name: (web)","default":"web","field":""}`,
		"Name: Bob":                                           `{"question":"Name: Bob"}`,
		// what only looks like choices, a default or a field
		"Error: no connection [timeout]":      `{"question":"Error: no connection [timeout]"}`,
		"usage: foo [-a] [b|c]":               `{"question":"usage: foo [-a] [b|c]"}`,
		"Options: (a)bc (d)ef":                `{"question":"Options: (a)bc (d)ef"}`,
		"Loading modules (a, b, c)":           `{"question":"Loading modules (a, b, c)"}`,
		"Waiting for a connection [1/3]":      `{"question":"Waiting for a connection [1/3]"}`,
		"Name: Bob (x)":                       `{"question":"Name: Bob (x)"}`,
		"Drive: C:":                           `{"question":"Drive: C:"}`,
		"Point (x/y/z): ":                     `{"question":"Point (x/y/z):","field":""}`,
		"Date (d/m/Y): ":                      `{"question":"Date (d/m/Y):","field":""}`,
		"Please choose [m|f|x]: ":             `{"question":"Please choose [m|f|x]:","choices":[{"text":"m","key":"m"},{"text":"f","key":"f"},{"text":"x","key":"x"}],"field":""}`,
		"Overwrite? (y/n/A) ":                 `{"question":"Overwrite? (y/n/A)","choices":[{"text":"y","key":"y"},{"text":"n","key":"n"},{"text":"A","key":"A"}],"field":""}`,
		"(o)verwrite, (s)kip, (r)ename? [s] ": `{"question":"(o)verwrite, (s)kip, (r)ename? [s]","choices":[{"text":"overwrite","key":"o"},{"text":"skip","key":"s"},{"text":"rename","key":"r"}],"default":"s","field":""}`,
		"What now [(a)bort/(r)etry]? ":        `{"question":"What now [(a)bort/(r)etry]?","choices":[{"text":"abort","key":"a"},{"text":"retry","key":"r"}],"field":""}`,
		"There are (s)ome ways, (o)ther ways.\r\nContinue? [y/N] ": `{"question":"There are (s)ome ways, (o)ther ways.\nContinue? [y/N]","choices":[{"text":"y","key":"y"},{"text":"N","key":"N"}],"default":"N","field":""}`,
		"CPUs [4 available]: ":         `{"question":"CPUs [4 available]:","field":""}`,
		"Email [not set]: ":            `{"question":"Email [not set]:","field":""}`,
		"Name [current: bob]: ":        `{"question":"Name [current: bob]:","field":""}`,
		"Editor (default: none): ":     `{"question":"Editor (default: none):","field":""}`,
		"Name: a: b":                   `{"question":"Name: a: b"}`,
		"Copy file(s) and folder(s)? ": `{"question":"Copy file(s) and folder(s)?","field":""}`,
		"size (MB) or (GB): ":          `{"question":"size (MB) or (GB):","field":""}`,
		"Select: (p) Postpone, (df) Show diff,\r\n        (s) Show all options: ":  `{"question":"Select: (p) Postpone, (df) Show diff,\n(s) Show all options:","choices":[{"text":"Postpone","key":"p"},{"text":"Show diff","key":"df"},{"text":"Show all options","key":"s"}],"field":""}`,
		"Use (l)ocal, (o)ther, or leave (u)nresolved.\r\nWhat do you want to do? ": `{"question":"Use (l)ocal, (o)ther, or leave (u)nresolved.\nWhat do you want to do?","choices":[{"text":"local","key":"l"},{"text":"other","key":"o"},{"text":"unresolved","key":"u"}],"field":""}`,
		"[Y] Yes  [A] Yes to All  [?] Help (default is \"Y\"): ":                   `{"question":"[Y] Yes  [A] Yes to All  [?] Help (default is \"Y\"):","choices":[{"text":"Yes","key":"Y"},{"text":"Yes to All","key":"A"},{"text":"Help","key":"?"}],"default":"Y","field":""}`,
		"(Y)es / (N)o / A(u)to rename all? ":                                       `{"question":"(Y)es / (N)o / A(u)to rename all?","choices":[{"text":"Yes","key":"Y"},{"text":"No","key":"N"},{"text":"Auto rename all","key":"u"}],"field":""}`,
		"[O]pen, (E)dit, (Q)uit: ":                                                 `{"choices":[{"text":"Open","key":"O"},{"text":"Edit","key":"E"},{"text":"Quit","key":"Q"}],"default":"O","field":""}`,
		"1) red  2) green\r\n3) blue\r\nYour choice: ":                             `{"question":"Your choice:","choices":[{"text":"red","key":"1"},{"text":"green","key":"2"},{"text":"blue","key":"3"}],"field":""}`,
		"[1] tea, green\r\n[2] coffee\r\nEnter a number (1-2): ":                   `{"question":"Enter a number (1-2):","choices":[{"text":"tea, green","key":"1"},{"text":"coffee","key":"2"}],"field":""}`,
		"1. Unpack\r\n2. Install\r\nContinue? [y/N] ":                              `{"question":"Continue? [y/N]","choices":[{"text":"y","key":"y"},{"text":"N","key":"N"}],"default":"N","field":""}`,
		"Pick [1/2/3] (1): ":                                                       `{"question":"Pick [1/2/3] (1):","choices":[{"text":"1","key":"1"},{"text":"2","key":"2"},{"text":"3","key":"3"}],"default":"1","field":""}`,
		"*** foo (Y/I/N/O/D/Z) [default=N] ? ":                                     `{"question":"*** foo (Y/I/N/O/D/Z) [default=N] ?","choices":[{"text":"Y","key":"Y"},{"text":"I","key":"I"},{"text":"N","key":"N"},{"text":"O","key":"O"},{"text":"D","key":"D"},{"text":"Z","key":"Z"}],"default":"N","field":""}`,
		"Retry [3 attempts left]: ":                                                `{"question":"Retry [3 attempts left]:","field":""}`,
		"Size [MB]: ":                                                              `{"question":"Size [MB]:","field":""}`,
		"Email: (we never share it) ":                                              `{"question":"Email: (we never share it)","field":""}`,
		"Path (e.g. /usr/bin): ":                                                   `{"question":"Path (e.g. /usr/bin):","field":""}`,
		"Proceed ([y]/n)? ":                                                        `{"question":"Proceed ([y]/n)?","choices":[{"text":"y","key":"y"},{"text":"n","key":"n"}],"default":"y","field":""}`,
		"Overwrite? (Y/N) ":                                                        `{"question":"Overwrite? (Y/N)","choices":[{"text":"Y","key":"Y"},{"text":"N","key":"N"}],"field":""}`,
		"(y)es (n)o (c)ancel? ":                                                    `{"question":"(y)es (n)o (c)ancel?","choices":[{"text":"yes","key":"y"},{"text":"no","key":"n"},{"text":"cancel","key":"c"}],"field":""}`,
		"Which? (a) one (b) two: ":                                                 `{"question":"Which? (a) one (b) two:","field":""}`,
		"Commit (c), revert (r), quit (q)? ":                                       `{"question":"Commit (c), revert (r), quit (q)?","field":""}`,
		"Amount [100.00]: ":                                                        `{"question":"Amount [100.00]:","default":"100.00","field":""}`,
		"Project [My Web Site]: ":                                                  `{"question":"Project [My Web Site]:","field":""}`,
		"See the notes [1], [2]: continue? ":                                       `{"question":"See the notes [1], [2]: continue?","field":""}`,
		"Password: ":                                                               `{"question":"Password:"}`,
	} {
		terminal := screen.New(80, 12, 0)
		_, _ = terminal.Write([]byte(text))
		if got := details(t, Scene{Picture: terminal.Snapshot(screen.Visible()), Command: "x", Canonical: true, Echo: true}); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}
