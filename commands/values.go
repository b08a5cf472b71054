package commands

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/proc"
)

// duration returns the value of a flag that is a duration: what timeout(1) takes, or a Go duration, which may begin with
// weeks and days: 30, 1.5, 500ms, 2m, 7d, 1w2d12h.
func duration(cmd *cli.Command, flag string) (time.Duration, error) {
	d, err := parseDuration(cmd.String(flag))
	if err != nil {
		return 0, usagef("%s: %v", given(cmd, flag), err)
	}
	return d, nil
}

// given returns what has given a flag its value: the flag, or the variable that has the same value.
func given(cmd *cli.Command, flag string) string {
	for _, f := range cmd.Flags {
		about, ok := f.(cli.DocGenerationFlag)
		if !ok || f.Names()[0] != flag {
			continue
		}
		for _, variable := range about.GetEnvVars() {
			if os.Getenv(variable) == cmd.String(flag) {
				return variable
			}
		}
	}
	return dash(flag)
}

// forever stands for each duration that is longer: no process lives so long. Ten times as long, which the grace needs, and
// sums of a few can still be counted in nanoseconds.
const forever = 25 * 365 * 24 * time.Hour

func parseDuration(text string) (time.Duration, error) {
	if n, ok := parseNumber(text); ok {
		return atMostForever(text, n, time.Second)
	}
	units := []struct {
		name   string
		length time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}}
	for _, unit := range units {
		if number, ok := strings.CutSuffix(text, unit.name); ok {
			if n, ok := parseNumber(number); ok {
				return atMostForever(text, n, unit.length)
			}
		}
	}
	total, rest := time.Duration(0), text
	for _, unit := range units[:2] {
		if number, after, ok := strings.Cut(rest, unit.name); ok {
			n, ok := parseNumber(number)
			if !ok || strings.Trim(number, "0123456789.") != "" {
				return 0, badDuration(text)
			}
			d, _ := atMostForever(text, n, unit.length) // it has no sign
			total, rest = total+d, after
		}
	}
	if rest != "" || text == "" {
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 || rest != text && strings.Trim(rest[:1], "0123456789.") != "" {
			return 0, badDuration(text)
		}
		total += min(d, forever)
	}
	return min(total, forever), nil
}

// parseNumber reads a number as strtod(3) does, also infinity. A number that is too large is infinite, and one that is too small
// is not 0, which would mean never.
func parseNumber(text string) (float64, bool) {
	text = strings.TrimLeft(text, " \t")
	lower, exponent := strings.ToLower(text), "e"
	if strings.Contains(lower, "0x") {
		exponent = "p"
		if !strings.Contains(lower, exponent) {
			text += "p0" // Go wants an exponent
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if digits, _, _ := strings.Cut(lower, exponent); n == 0 && strings.ContainsAny(digits, "123456789abcdef") {
		n = math.Copysign(math.SmallestNonzeroFloat64, n)
	}
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// atMostForever returns n times the unit.
func atMostForever(text string, n float64, unit time.Duration) (time.Duration, error) {
	switch {
	case math.IsNaN(n), n < 0:
		return 0, badDuration(text)
	case n*float64(unit) >= float64(forever):
		return forever, nil
	case n > 0:
		return max(1, time.Duration(n*float64(unit))), nil // 0 would mean never
	}
	return 0, nil
}

func badDuration(text string) error {
	return fmt.Errorf("invalid duration %q: use 30, 1.5, 500ms, 2m or 7d", text)
}

// leastEpoch is the smallest number that is a Unix time and not a duration, in seconds: 2001-09-09. mostEpoch is
// beyond every time on a clock. A thousand times as much is a Unix time in milliseconds.
const (
	leastEpoch = 1e9
	mostEpoch  = 9e9
)

// epochTime returns the Unix time in a text: seconds as date +%s prints them, or milliseconds, which have 13 digits. With @ before
// it, it may be any number of seconds.
func epochTime(text string) (t time.Time, ok bool) {
	number, at := strings.CutPrefix(text, "@")
	n, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || n < 0:
	case n < mostEpoch && (at || n >= leastEpoch):
		return time.UnixMicro(int64(n * 1e6)), true
	case n >= 1e3*leastEpoch && n < 1e3*mostEpoch:
		return time.UnixMicro(int64(n * 1e3)), true
	}
	return t, false
}

// pastTime returns the time in a flag. It has the format RFC 3339, or is a local date with or without a time of day.
// It may also be a Unix time, see epochTime, or the duration since then.
func pastTime(cmd *cli.Command, flag string, now time.Time) (time.Time, error) {
	text := cmd.String(flag)
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	for _, form := range []string{time.DateOnly, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(form, text, time.Local); err == nil {
			return t, nil
		}
	}
	if t, ok := epochTime(text); ok {
		return t, nil
	}
	ago, err := parseDuration(text)
	if err != nil {
		return time.Time{}, usagef("--%s: invalid time %q: use 2h (ago), 7d, @1768473000, 2026-01-15, \"2026-01-15 10:30\" or 2026-01-15T10:30:00Z", flag, text)
	}
	return now.Add(-ago), nil
}

// byteCount returns the value of a flag that is a number of bytes: 4096, 64KiB, 256M.
func byteCount(cmd *cli.Command, flag string) (int64, error) {
	n, err := parseBytes(cmd.String(flag))
	if err != nil {
		return 0, usagef("--%s: %v", flag, err)
	}
	return n, nil
}

func parseBytes(text string) (int64, error) {
	digits := strings.TrimRight(text, "BKMGTbkmgti")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("invalid number of bytes %q: use 4096, 64KiB or 256MiB", text)
	}
	shift := 0
	switch strings.ToLower(text[len(digits):]) {
	case "", "b":
	case "k", "kb", "kib":
		shift = 10
	case "m", "mb", "mib":
		shift = 20
	case "g", "gb", "gib":
		shift = 30
	case "t", "tb", "tib":
		shift = 40
	default:
		return 0, fmt.Errorf("unknown unit %q: use KiB, MiB, GiB or TiB", text[len(digits):])
	}
	if n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("number of bytes %q is out of range", text)
	}
	return n << shift, nil
}

// parseCount parses a number that is not negative.
func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("invalid number %q: use a whole number, such as 0 or 500", text)
	}
	return n, nil
}

// parseSize parses the size of a terminal, such as 80x24. what names the argument in an error.
func parseSize(what, text string) (ledger.Size, error) {
	cols, rows, ok := strings.Cut(text, "x")
	c, errCols := strconv.Atoi(cols)
	r, errRows := strconv.Atoi(rows)
	if !ok || strings.Trim(text, "0123456789x") != "" || errCols != nil || errRows != nil || c < 1 || r < 1 || c > 1000 || r > 500 {
		return ledger.Size{}, usagef("%s: invalid size %q: use COLSxROWS, such as 80x24, up to 1000x500", what, text)
	}
	return ledger.Size{Cols: c, Rows: r}, nil
}

// A choiceFlag is a flag whose value is one of a few words.
type choiceFlag struct {
	*cli.StringFlag
	words []string
}

// oneOf lists the words that the value of a flag can be. They are completed, and choice accepts no other value.
func oneOf(flag *cli.StringFlag, words ...string) cli.Flag { return &choiceFlag{flag, words} }

// choice returns the value of a flag, which must be one of its words.
func choice(cmd *cli.Command, name string) (string, error) {
	value := cmd.String(name)
	var words []string
	for _, c := range cmd.Lineage() {
		for _, flag := range c.Flags {
			if f, ok := flag.(*choiceFlag); ok && f.Name == name {
				words = f.words
			}
		}
	}
	return value, checkChoice(name, value, words)
}

// checkChoice returns a usage error if the value of a flag is not one of the allowed values.
func checkChoice(flag, value string, allowed []string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return notOneOf("--"+flag+": invalid value", value, allowed)
}

// notOneOf returns the usage error for a word that is not one of those allowed. what says what it was to be.
func notOneOf(what, word string, allowed []string) error {
	return &usageError{fmt.Sprintf("%s %q: use %s", what, word, orList(allowed)), didYouMean(word, allowed, "")}
}

// badValue returns the usage error for the value of a flag. use says which values are valid.
func badValue(flag string, value any, use string) error {
	if text, ok := value.(string); ok {
		value = strconv.Quote(text)
	}
	return usagef("%s: invalid value %v: use %s", dash(flag), value, use)
}

// badSignal returns the usage error for a signal in a value. what names the flag, and err says that there is no such signal.
func badSignal(what, name string, err error) error {
	near := didYouMean(strings.TrimPrefix(strings.ToUpper(name), "SIG"), proc.SignalNames(), "")
	return &usageError{fmt.Sprintf("%s: %v", what, err), near}
}

// orList joins alternatives: a, b or c.
func orList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
