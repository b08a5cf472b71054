package line

import (
	"slices"
	"strings"
	"testing"
)

// evaluated returns what a text executes: the commands, with their signs as ?, # and !.
func evaluated(text string) (string, error) {
	var got []string
	ev := &Evaluation{
		Read: func(path string) (string, bool) {
			if path == "/w/file" {
				return "in file\n", true
			}
			return "", false
		},
		Env: func(name string) (value string, set, known bool) {
			switch name {
			case "HOME":
				return "/home/me", true, true
			case "EMPTY":
				return "", true, true
			case "SPACED":
				return "a  b", true, true
			}
			return "", false, true
		},
	}
	ev.Visit = func(c *Command) string {
		b := strings.Join(c.Words, " ")
		if c.Dir() != "/w" {
			b = c.Dir() + ": " + b
		}
		for _, r := range c.Redirs {
			b += map[bool]string{true: " >", false: " <"}[r.Writes] + r.Path
		}
		if c.Input != nil {
			b += " {" + c.Input.Text + "}"
		}
		got = append(got, strings.NewReplacer(Unknown, "?", Names, "#", Computed, "!", "\n", "_").Replace(b))
		switch {
		case len(c.Words) == 0:
		case c.Words[0] == "echo":
			return Echo(c.Words[1:])
		case c.Words[0] == "printf":
			return Printf(c.Words[1:])
		case c.Words[0] == "sh" && len(c.Words) > 2:
			return c.Run(c.Words[2], "", c.Words[3:], c.Input)
		}
		return Unknown
	}
	err := ev.Evaluate(text, "bash", "/w", nil)
	return strings.Join(got, " / "), err
}

func TestEvaluate(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"a b 'c d' \"e f\" g\\ h":        "a b c d e f g h",
		"$'\\x61\\142\\u0063' $'\\n'":    "abc _",
		"X=a; $X $Y ${Y:-b} ${X:+c}":     "a b c",
		"read X; $X $Y; eval \"$X\"; $Y": "read X / ? / eval ? / ? / ?",
		"X='a b'; $X; \"$X\"":            "a b / a b",
		"$EMPTY a $SPACED \"$EMPTY\"":    "a a b ",
		"${HOME:0:5}/x ${HOME#/home/} ${HOME%/*} ${HOME##*/} ${HOME//m/n} ${HOME^^}": "/home/x me /home me /hone/ne /HOME/ME",
		"a{b,c{d,e}} {1..3} {a..c} {1..99}":                                          "ab acd ace 1 2 3 a b c #",
		"a* 'a*' \\* [ab]c x?":                                                       "a# a* * #c x#",
		"X='*'; a $X \"$X\"":                                                         "a # *",
		"~ ~/x a~ ~you/x":                                                            "/home/me /home/me/x a~ /home/you/x",
		"$(echo a b) `echo c` \"$(echo 'd  e')\"":                                    "echo a b / echo c / echo d  e / a b c d  e",
		"a $(b) c$(d)":                                                               "b / d / a ? c?",
		"a=(x 'y z'); b \"${a[@]}\" ${a[1]} ${#a[@]}":                                "b x y z y z #",
		"set -- a b; c $2 \"$@\" $# $9":                                              "set -- a b / c b a b #",
		"f() { a $1 \"$@\"; }; f x y":                                                "a x x y",
		"alias l='ls -l'\nl x":                                                       "alias l=ls -l / ls -l x / l x",
		"eval a 'b; c'":                                                              "eval a b; c / a b / c",
		"trap 'a; b' EXIT":                                                           "trap a; b EXIT / a / b",
		"source file":                                                                "source file / in file",
		"cd sub; a; cd ..; b; cd /x && c":                                            "cd sub / /w/sub: a / /w/sub: cd .. / /w/sub/..: b / /w/sub/..: cd /x / /x: c",
		"(cd sub; a); b":                                                             "cd sub / /w/sub: a / b",
		"cd $X; a":                                                                   "cd / /home/me: a",
		"if a; then X=b; else X=c; fi; d $X":                                         "a / d / d b / d c",
		"X=a; if b; then X=c; fi; d $X":                                              "b / d a / d c",
		"for i in a b; do c $i; done":                                                "c a / c b",
		"for i in *.x; do c $i; done":                                                "c #.x",
		"while read x; do a $x; done < file":                                         " <file / read x {in file_} / a in file {in file_} / read x {in file_} / a in file {in file_} / read x {in file_}",
		"a | b":                                                                      "a / b {?}",
		"echo x | b":                                                                 "echo x / b {x_}",
		"b <<< \"$HOME\"":                                                            "b {/home/me_}",
		"b <<E\n$HOME\nE\n":                                                          "b {/home/me_}",
		"b <<'E'\n$HOME\nE\n":                                                        "b {$HOME_}",
		"b <<-E\n\tx\nE\n":                                                           "b {x_}",
		"a > x 2> y >> z < w <> v &> u":                                              "a >x >y >z <w >v >u {?}",
		"a 2>&1 >&2":                                                                 "a",
		"> x":                                                                        " >x",
		"{ a; b; } > x":                                                              " >x / a / b",
		"echo a > x; b < x":                                                          "echo a >x / b <x {a_}",
		"echo a > x; echo b >> x; b < ./x":                                           "echo a >x / echo b >>x / b <./x {a_b_}",
		"b <(echo a)":                                                                "echo a / b /dev/fd/1001",
		"declare -n r=X; X=a; $r; r=b; $X":                                           "a / b",
		"X='$(a)'; b \"${X@P}\"; PS4='$(c)'":                                         "a / b ? / c",
		"X=ab; c ${X::1} ${X:1}":                                                     "c a b",
		"PROMPT_COMMAND='a; b'; BASH_ENV=file c; export ENV=file":                             "a / b / in file / c / in file",
		"X='x[$(a)]'; [[ -v 'x[$(b)]' ]]; unset 'x[$(c)]'; x[$(d)]=1; e ${x[$(f)]} ${x:$(g)}": "a / b / unset x[$(c)] / c / d / f / g / e ? ?",
		"BASH_ALIASES[q]='a b'; q c; declare -A BASH_CMDS=([d]=/e); d":                        "a b c / q c / /e / d",
		"command_not_found_handle() { a $1; }":                                                "a #",
		"CDPATH=/x; cd ./a; cd b; c":                                                          "cd ./a / /w/./a: cd b / ?: c",
		"sh -c 'a $0 $1' x y":                                                                 "sh -c a $0 $1 x y / a x y",
		"sh -c 'a $1' x y":                                                                    "sh -c a $1 x y / a y",
		"X=b sh -c 'a $X'":                                                                    "sh -c a $X / a b",
		"IFS=,; X=a,b; $X":                                                                    "a b",
		"read X <<< a; $X":                                                                    "read X {a_} / a",
		"printf -v X a; $X":                                                                   "printf -v X a / a",
		"X=$(a) b; export Y=$(c); declare Z=d; $Z":                                            "a / b / c / d",
		"[[ $(a) ]] && b":                                                                     "a / b",
		"$((1+$(a)))":                                                                         "a / #",
		"case $(a) in x) b;; esac":                                                            "a / b",
		"! a & b":                                                                             "a / b",
		"X=a; Y=X; ${!Y}":                                                                     "a",
		"X=1; X+=2; a $X":                                                                     "a 12",
		"unset HOME; a $HOME b":                                                               "unset HOME / a b",
	} {
		got, err := evaluated(text)
		want = strings.ReplaceAll(want, ">>", ">")
		if err != nil || got != want {
			t.Errorf("%q executes %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"a 'b", "(", "a\x01", strings.Repeat("$(", 200), strings.Repeat("a;", 40<<10), "eval \"a '\""} {
		if got, err := evaluated(text); err == nil {
			t.Errorf("%.40q executes %q", text, got)
		}
	}
}

// Any text is evaluated or refused, and no word has a NUL byte. Words in quotes stay as they are.
func FuzzEvaluate(f *testing.F) {
	for _, text := range []string{
		"X=a; $X ${X:-b} ${X//a/b} | c <<E\n$X\nE\n", "f() { $1; }; f a; eval 'b; c'", "for i in a b; do X=$X$i; done; $X",
		"a=(b c); ${a[@]:1} {d,e{f,g}} $'\\x41'", "alias a=b\na; cd x; sh -c 'y $1' z; set -- a; shift",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := evaluated(text); err == nil && strings.Contains(got, "\x00") {
			t.Errorf("%q executes %q", text, got)
		}
		if strings.ContainsAny(text, Signs+"\x00\r") || Nested(text) {
			return
		}
		want := append([]string{"p"}, strings.Split(text, "\n\n")...)
		var words []string
		ev := &Evaluation{Visit: func(c *Command) string { words = c.Words; return "" }}
		if err := ev.Evaluate(Quote(want), "bash", "/w", nil); err == nil && !slices.Equal(words, want) {
			t.Errorf("%q in quotes are %q", want, words)
		}
	})
}
