package prompt

import "testing"

// After knows the prompts of each REPL. A line that somebody has begun to type is no prompt.
func TestAfter(t *testing.T) {
	for _, tt := range []struct {
		before, line string
		want         Return
	}{
		{">>> ", ">>> ", PromptIsBack},
		{">>> ", "... ", TakesMore},
		{">>> ", "...     ", TakesMore}, // 3.13 indents
		{">>> ", ">>> x", Elsewhere},
		{">>> ", "x>>> ", Elsewhere},
		{">>> ", "(Pdb) ", Elsewhere},
		{">>> ", "Name? ", Elsewhere},
		{">>> ", "", Elsewhere},
		{"In [1]: ", "In [2]: ", PromptIsBack},
		{"In [1]: ", "   ...: ", TakesMore},
		{"> ", "> ", PromptIsBack},
		{"> ", "... ", TakesMore},
		{"> ", "| ", TakesMore},
		{"> ", "What> ", Elsewhere},
		{"irb(main):009:0> ", "irb(main):010:0> ", PromptIsBack},
		{"irb(main):009:0> ", "irb(main):010:1* ", TakesMore},
		{"irb(main):009:0> ", `irb(main):010:1"   `, TakesMore},
		{"irb(main):009:0> ", "irb(main):010:1>   ", TakesMore}, // without its editor of several lines
		{"irb(main):009> ", "irb(main):010* ", TakesMore},
		{"php > ", "php { ", TakesMore},
		{"php > ", "/*  > ", TakesMore},
		{"# ", "# ", PromptIsBack},
		{"# ", "  ", TakesMore},
		{"shop=# ", "shop=*# ", PromptIsBack},
		{"shop=# ", "stock=# ", PromptIsBack},
		{"shop=> ", "shop=!> ", PromptIsBack},
		{"shop=# ", "shop-# ", TakesMore},
		{"shop=# ", "shop-*# ", TakesMore},
		{"shop=# ", "shop'# ", TakesMore},
		{"shop=# ", "shop(# ", TakesMore},
		{"sqlite> ", "   ...> ", TakesMore},
		{"sqlite> ", "(x1...> ", TakesMore},
		{"sqlite> ", "sqlite> ", PromptIsBack},
		{"(gdb) ", "(gdb) ", PromptIsBack},
		{"(gdb) ", ">", TakesMore},
		{"% ", "% ", PromptIsBack},
		{"jshell> ", "   ...> ", TakesMore},
		{"127.0.0.1:6379> ", "127.0.0.1:6379[1]> ", Elsewhere},
		{"db 9 > ", "db 10 > ", PromptIsBack},
	} {
		program := "any"
		if tt.before == "# " {
			program = "ocaml"
		}
		if got := After(program, tt.before, tt.line); got != tt.want {
			t.Errorf("after %q, %q is %v, want %v", tt.before, tt.line, got, tt.want)
		}
	}
}

// The prompts of shells are not those of an unknown REPL.
func TestUnknownREPL(t *testing.T) {
	for line, want := range map[string]bool{"lua> ": true, "ghci> ": true, "user@host:~$ ": false, "# ": false, "lua> x": false, "": false} {
		if got := UnknownREPL(line); got != want {
			t.Errorf("%q is %v, want %v", line, got, want)
		}
	}
}

// A prompt that shells have, too, is that of a REPL only in its program.
func TestFindInterpreter(t *testing.T) {
	for program, want := range map[string]bool{"ocaml": true, "ocamlrun": true, "ssh": false, "": false} {
		if r, _ := FindInterpreter(program, "# "); (r != nil) != want {
			t.Errorf("in %q: %v", program, r)
		}
	}
}

func TestHalfTyped(t *testing.T) {
	for line, want := range map[string]bool{">>> x": true, ">>>  ": true, "irb(main):001:0> x": true, ">>> ": false, "... x": false, "lua> x": false, "": false} {
		if got := HalfTyped("any", line); got != want {
			t.Errorf("%q is %v, want %v", line, got, want)
		}
	}
}
