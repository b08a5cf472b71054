package prompt

import "strings"

// A role is how a program takes input, as far as its name tells.
type role int

const (
	other      role = iota
	pager           // shows a text page by page
	editor          // edits a text
	shell           // edits its command line, and may ask questions for a script
	console         // edits its command line, and runs no other programs that ask
	runtime         // an interpreter at its own prompt, or a program written for it
	fullscreen      // draws the whole screen, perhaps the main screen
)

// roleOf returns the role of a program by its name in the kernel. It ignores versions and variants.
func roleOf(command string) role {
	name, _, _ := strings.Cut(strings.TrimPrefix(command, "-"), ".") // vim.basic, python3.12
	name, _, _ = strings.Cut(name, " ")                              // "mongosh mongodb"
	switch strings.TrimRight(name, "0123456789-:") {
	case "less", "more", "most", "man", "pg", "lv", "pager", "moar", "bat", "batcat":
		return pager
	case "vi", "vim", "vimdiff", "nvim", "view", "rvim", "rview", "ex", "nano", "rnano", "pico", "emacs", "emacs-nox", "emacs-gtk", "micro", "joe", "jmacs",
		"jstar", "jed", "editor", "sensible-editor", "hx", "helix", "kak", "mcedit", "ne", "elvis", "nvi", "vile", "mg", "zile", "amp", "tilde":
		return editor
	case "bash", "rbash", "zsh", "fish", "ksh", "mksh", "oksh", "dash", "sh", "ash", "busybox", "tcsh", "csh", "yash", "osh",
		"nu", "xonsh", "elvish", "pwsh":
		return shell
	case "sqlite", "psql", "mysql", "mariadb", "mycli", "pgcli", "gdb", "lldb", "rr", "bc", "dc", "ghc", "ghci", "R", "julia", "octave",
		"octave-cli", "redis-cli", "valkey-cli", "mongo", "mongosh", "ftp", "tnftp", "sftp", "lftp", "telnet", "jshell", "scala",
		"iex", "erl", "beam", "irb", "pry", "ipython", "ptpython", "bpython", "gnuplot", "maxima", "gp", "sbcl", "clisp",
		"ocaml", "utop", "guile", "tclsh", "wish", "virsh", "cqlsh", "nslookup", "parted", "ed", "duckdb", "clickhouse", "dlv", "jdb":
		return console
	case "python", "pypy", "node", "nodejs", "node-MainThread", "MainThread", "deno", "bun", "ruby", "php", "java", "perl", "lua",
		"luajit", "dotnet":
		return runtime
	case "top", "htop", "btop", "atop", "mc", "tmux", "screen", "fzf", "tig", "lazygit", "ncdu", "ranger", "nnn", "dialog",
		"whiptail", "watch", "pinentry-curses", "alsamixer", "aptitude":
		return fullscreen
	}
	return other
}
