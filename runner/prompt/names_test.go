package prompt

import "testing"

func TestRoleOf(t *testing.T) {
	for name, want := range map[string]role{
		"bash": shell, "-bash": shell, "ksh93": shell, "python3.12": runtime, "python3": runtime, "node-MainThread": runtime, "lua5.4": runtime,
		"vim.basic": editor, "emacs-29.1": editor, "nano": editor, "editor": editor, "sensible-editor": editor, "sqlite3": console, "irb3.1": console, "mongosh mongodb": console, "gdb": console,
		"less": pager, "ex": editor, "tmux: client": fullscreen, "pinentry-curses": fullscreen, "ssh": other, "npm init": other, "": other,
	} {
		if got := roleOf(name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}
