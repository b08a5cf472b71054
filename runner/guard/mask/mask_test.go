package mask_test

import (
	"encoding/base64"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"devtools/runner/guard/mask"
)

const token = "ghp_0123456789abcdefXYZ"

func stars(n int) string { return strings.Repeat("*", n) }

func TestString(t *testing.T) {
	std, raw := base64.StdEncoding, base64.RawURLEncoding
	odd := "p@ss w/rd+ü&=?ÿþ~!"
	pem := "-----BEGIN KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n", 4) + "-----END KEY-----"
	begin := "-----BEGIN KEY-----"
	for _, test := range []struct{ name, secret, text, want string }{
		{"exact", token, "a " + token + " b", "a " + stars(len(token)) + " b"},
		{"twice", token, token + token, stars(2 * len(token))},
		{"part", token, token[:len(token)-1], token[:len(token)-1]},
		{"overlap", "aaaaaaaa", "xaaaaaaaaaaay", "x" + stars(11) + "y"},
		{"base64", token, "Basic " + std.EncodeToString([]byte(token)), "Basic " + stars(31) + "="},
		{"base64 of a line", token, std.EncodeToString([]byte(token + "\n")), stars(31) + "K"},
		{"base64 after one byte", token, raw.EncodeToString([]byte(":" + token)), "Om" + stars(30)},
		{"base64 after two bytes", token, raw.EncodeToString([]byte("u:" + token)), "dTp" + stars(30) + "g"},
		{"query", odd, "?q=" + url.QueryEscape(odd), "?q=" + stars(len(url.QueryEscape(odd)))},
		{"path", odd, url.PathEscape(odd), stars(len(url.PathEscape(odd)))},
		{"lower", odd, strings.ToLower(url.QueryEscape(odd)), stars(len(url.QueryEscape(odd)))},
		{"JavaScript", odd, "p%40ss%20w%2Frd%2B%C3%BC%26%3D%3F%C3%BF%C3%BE~!", stars(47)},
		{"JSON", `pass"word\<&>`, `{"x":"pass\"word\\<&>"}`, `{"x":"***************"}`},
		{"JSON of Go", `pass"word\<&>`, `"pass\"word\\\u003c\u0026\u003e"`, `"******************************"`},
		{"JSON of PHP and Python", "a/b\"ü𝄞xyz", `a\/b\"\u00fc\ud834\udd1exyz`, stars(27)},
		{"HTML", `p<w>&"o"`, "p&lt;w&gt;&amp;&#34;o&#34; p&lt;w&gt;&amp;&quot;o&quot;", stars(26) + " " + stars(28)},
		{"attribute of HTML", `it's<a"pw`, "it&#x27;s&lt;a&quot;pw", stars(22)},
		{"printf %q of bash", `~pa$$w"o<rd é/x`, `\~pa\$\$w\"o\<rd\ é/x`, stars(22)},
		{"declare -p of bash", `pa$$w"o<rd é/x`, `declare -- x="pa\$\$w\"o<rd é/x"`, `declare -- x="` + stars(18) + `"`},
		{"set of bash", "it's a secret", `x='it'\''s a secret'`, "x='" + stars(16) + "'"},
		{"printf %q of lines", "a\nb'c\\d\x1be", `$'a\nb\'c\\d\Ee'`, "$'" + stars(13) + "'"},
		{"lines of a terminal", pem, strings.ReplaceAll(pem, "\n", "\r\n"), begin + "\r\n" + stars(len(pem)-len(begin)-1+4)},
		{"a variable without quotes", pem, strings.ReplaceAll(pem, "\n", " "), begin + " " + stars(len(pem)-len(begin)-1)},
		{"a line", pem, "x " + pem[len(begin)+1:len(begin)+33] + " y", "x " + stars(32) + " y"},
		{"a line that is indented", "{\n  \"key\": \"abc\"\n}", "    \"key\": \"abc\"", "    " + stars(12)},
		{"lines of any text", pem + "\n========\nshort", "-----END KEY-----\n========\nshort", "-----END KEY-----\n========\nshort"},
		{"scheme", "https://user:pw@host", "https://user:pw@host https://example.com", "https://" + stars(12) + " https://example.com"},
		{"no scheme", "https://a:b", "https://a:b", stars(11)},
	} {
		if got := mask.New([]string{test.secret}).String(test.text); got != test.want {
			t.Errorf("%s: %q becomes\n%q, not\n%q", test.name, test.text, got, test.want)
		}
	}
	long := strings.Repeat("0123456789abcdef", 8)
	for _, width := range []int{64, 76} {
		text := std.EncodeToString([]byte(long))
		for i := width; i < len(text); i += width + 1 {
			text = text[:i] + "\n" + text[i:]
		}
		if got := strings.Trim(mask.New([]string{long}).String(text), "*"); got != "=" {
			t.Errorf("of base64 in lines of %d is left %q", width, got)
		}
	}
}

// Secrets may overlap, and one may begin with another.
func TestSeveral(t *testing.T) {
	m := mask.New([]string{"abcdefgh", "abcdefghijkl", "efghijklmnop", "ijklmnopXX"})
	for text, want := range map[string]string{
		"-abcdefgh-":           "-" + stars(8) + "-",
		"-abcdefghijk-":        "-" + stars(8) + "ijk-",
		"-abcdefghijkl-":       "-" + stars(12) + "-",
		"-abcdefghijklmnop-":   "-" + stars(16) + "-",
		"-abcdefghijklmnopXX-": "-" + stars(18) + "-",
		"-defghijklmnoXX":      "-defghijklmnoXX",
	} {
		if got := m.String(text); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
}

func TestList(t *testing.T) {
	m := mask.New([]string{"my pass phrase"})
	for _, test := range []struct{ args, want []string }{
		{[]string{"echo", "my pass phrase"}, []string{"echo", "**************"}},
		{[]string{"echo", "my", "pass", "phrase", "x"}, []string{"echo", "**", "****", "******", "x"}},
		{[]string{"", "-p=my pass phrase", ""}, []string{"", "-p=**************", ""}},
		{nil, []string{}},
	} {
		if got := m.List(test.args); !slices.Equal(got, test.want) && strings.Join(got, " ") != strings.Join(test.want, " ") {
			t.Errorf("%q become %q, not %q", test.args, got, test.want)
		}
	}
	if got := (*mask.Matcher)(nil).List([]string{"a"}); got[0] != "a" || (*mask.Matcher)(nil).String("a") != "a" {
		t.Error("without a secret something changes")
	}
}

func TestStream(t *testing.T) {
	s := mask.New([]string{token}).Stream()
	if got := string(s.Write([]byte("Token: g"))); got != "Token: " || s.Held() != 1 {
		t.Errorf("given %q, held %d", got, s.Held())
	}
	if got := string(s.Release()); got != "g" || s.Held() != 0 {
		t.Errorf("released %q, held %d", got, s.Held())
	}
	if got := string(s.Write([]byte(token[1:] + ".g"))); got != stars(len(token)-1)+"." {
		t.Errorf("given %q", got)
	}
	if got := string(s.Write([]byte(token[1:4]))) + string(s.Release()); got != stars(4) {
		t.Errorf("released %q", got)
	}
	if got := string(s.Write([]byte(token[4:]))) + string(s.End()); got != stars(len(token)-4) {
		t.Errorf("at the end %q", got)
	}
	if got := string(s.Write([]byte("gh"))) + string(s.End()); got != "gh" {
		t.Errorf("a short beginning becomes %q", got)
	}
	s = mask.New([]string{"12345678\nabcdefgh\n"}).Stream()
	if got := string(s.Write([]byte("12345678\nabc"))) + string(s.Release()); got != stars(8)+"\n***" {
		t.Errorf("of lines that pause %q", got)
	}
	if got := mask.New([]string{token}).Start("curl " + token[:9]); got != "curl *********" {
		t.Errorf("a text that was cut becomes %q", got)
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{"A=env:B", "_a1=file:/x=y", "A=fd:3"} {
		if s, err := mask.Parse(text); err != nil || s.Name == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "A", "A=", "A=hunter2hunter2", "=env:B", "1A=env:B", "A-B=env:C", "A=env:", "A=env:x-y", "A=file:", "A=fd:", "A=fd:2", "A=fd:-1", "A=fd:x", "DEVTOOLS_SESSION=env:A", "ENV=env:A", "sec ret"} {
		if _, err := mask.Parse(text); err == nil {
			t.Errorf("%q has no error", text)
		} else if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "sec ret") {
			t.Errorf("the error repeats the value: %v", err)
		}
	}
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{"12345678": "12345678", "12345678\n": "12345678", "12345678\r\n": "12345678", "12345678\n\n": "12345678\n", "a\nb\n56789": "a\nb\n56789"} {
		if got, err := mask.Read(strings.NewReader(text)); err != nil || got != want {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1234567\n", strings.Repeat("wxyz", mask.Most/4) + "x", "1234\x005678", "        ", "abcabcabcabc"} {
		if _, err := mask.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%.20q has no error", text)
		}
	}
	if _, err := mask.Read(strings.NewReader(strings.Repeat("wxyz", mask.Most/4) + "\n")); err != nil {
		t.Error(err)
	}
}

// In a long text, in which two places are searched at once, each secret is found wherever it stands.
func TestLong(t *testing.T) {
	m, random := mask.New([]string{token, "0123456789"}), rand.New(rand.NewPCG(1, 1))
	for range 300 {
		var text []byte
		for len(text) < 5000+random.IntN(100) {
			text = append(text, []string{token[:random.IntN(len(token))], "a line of other text, ", "é", strings.Repeat("-", random.IntN(2000))}[random.IntN(4)]...)
		}
		for range random.IntN(4) {
			copy(text[random.IntN(len(text)):], []string{token, "0123456789"}[random.IntN(2)])
		}
		if got, want := m.Start(string(text)), masked([]string{token, "0123456789"}, string(text)); got != want {
			t.Fatalf("%q becomes\n%q, not\n%q", text, got, want)
		}
	}
}

// FuzzMask checks that the masked stream has the length of the text, differs from it only in secrets and in the beginning of one at
// its end, and does not depend on the pieces in which the text comes.
func FuzzMask(f *testing.F) {
	f.Add("abcdefgh", "efghijkl", []byte("xx abcdefghijkl abcdefg"), uint64(1))
	f.Add("aaaaaaaa", "aaaaaaaaab", []byte("aaaaaaaaaaaaaaaaabaaaa"), uint64(2))
	f.Add("p@ss w/rd", "\x00\xff\n12345678", []byte("p%40ss+w%2Frd p%40ss%20w%2frd"), uint64(3))
	f.Add(token, "0123456789", []byte(strings.Repeat("a line of other text, as it comes; ", 200)), uint64(6))
	f.Add("-----BEGIN A-----\n12345678\n345678ab", "https://345678ab", []byte("12345678 345678ab\n-----BEGIN A----- https:/"), uint64(5))
	f.Add(token, token[4:], []byte(base64.StdEncoding.EncodeToString([]byte("user:"+token))), uint64(4))
	f.Fuzz(func(t *testing.T, a, b string, text []byte, seed uint64) {
		secrets := slices.DeleteFunc([]string{a, b}, func(s string) bool { return len(s) < mask.Least || len(s) > 200 })
		if len(secrets) == 0 || len(text) > 1<<13 {
			return
		}
		random := rand.New(rand.NewPCG(seed, 1))
		for range 3 { // put the secrets into the text
			form := mask.Forms(secrets[random.IntN(len(secrets))])
			at := random.IntN(len(text) + 1)
			text = slices.Concat(text[:at], []byte(form[random.IntN(len(form))]), text[at:])
		}
		want := masked(secrets, string(text))
		s := mask.New(secrets).Stream()
		var got []byte
		for rest := slices.Clone(text); len(rest) > 0; {
			n := 1 + random.IntN(min(len(rest), 1+random.IntN(40)))
			got = append(got, s.Write(rest[:n:n])...)
			rest = rest[n:]
		}
		if got = append(got, s.End()...); string(got) != want {
			t.Errorf("%q: %q becomes\n%q, not\n%q", secrets, text, got, want)
		}
		if whole := mask.New(secrets).Start(string(text)); whole != want {
			t.Errorf("%q: in one piece %q becomes\n%q, not\n%q", secrets, text, whole, want)
		}
	})
}

// masked does the slow way what a stream does.
func masked(secrets []string, text string) string {
	out, tail := []byte(text), 0
	for _, secret := range secrets {
		for _, form := range mask.Forms(secret) {
			for i := range text {
				if strings.HasPrefix(text[i:], form) {
					copy(out[i:], stars(len(form)))
				} else if strings.HasPrefix(form, text[i:]) {
					tail = max(tail, len(text)-i)
				}
			}
			for i := 1; i < len(text); i++ { // bytes that are no beginning of a character, too
				if strings.HasPrefix(text[i:], form) {
					copy(out[i:], stars(len(form)))
				} else if strings.HasPrefix(form, text[i:]) {
					tail = max(tail, len(text)-i)
				}
			}
		}
	}
	for i := len(out) - tail; tail > 3 && i < len(out); i++ {
		if out[i] != '\n' && out[i] != '\r' {
			out[i] = '*'
		}
	}
	return string(out)
}

// BenchmarkStream masks output that has no secret.
func BenchmarkStream(b *testing.B) {
	var lines []byte
	for i := range 2000 {
		lines = append(lines, []byte("2026-01-15T10:30:00 server: GET /api/v1/items/"+strings.Repeat("x", i%17)+" 200 OK in 12ms\r\n")...)
	}
	m := mask.New([]string{token, "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"})
	b.SetBytes(int64(len(lines)))
	s := m.Stream()
	for b.Loop() {
		s.Write(lines)
	}
}
