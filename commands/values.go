package commands

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
)

// duration returns the value of a flag that is a duration. It is a number of seconds or a Go duration, which may
// begin with weeks and days: 30, 1.5, 500ms, 2m, 7d, 1w2d12h.
func duration(cmd *cli.Command, flag string) (time.Duration, error) {
	d, err := parseDuration(cmd.String(flag))
	if err != nil {
		return 0, usagef("--%s: %v", flag, err)
	}
	return d, nil
}

func parseDuration(text string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if seconds < 0 || math.IsNaN(seconds) || seconds > math.MaxInt64/1e9 {
			return 0, fmt.Errorf("duration %q is out of range", text)
		}
		return time.Duration(seconds * float64(time.Second)), nil
	}
	total, rest := 0.0, text // in hours
	for _, unit := range []struct {
		name  string
		hours float64
	}{{"w", 7 * 24}, {"d", 24}} {
		if number, after, ok := strings.Cut(rest, unit.name); ok {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || strings.Trim(number, "0123456789.") != "" {
				return 0, badDuration(text)
			}
			total, rest = total+n*unit.hours, after
		}
	}
	d := time.Duration(0)
	if rest != "" || text == "" {
		var err error
		if d, err = time.ParseDuration(rest); err != nil || d < 0 || rest != text && strings.Trim(rest[:1], "0123456789.") != "" {
			return 0, badDuration(text)
		}
	}
	if total > 0 {
		if total > (math.MaxInt64-float64(d))/float64(time.Hour)-1 {
			return 0, fmt.Errorf("duration %q is out of range", text)
		}
		d += time.Duration(total * float64(time.Hour))
	}
	return d, nil
}

func badDuration(text string) error {
	return fmt.Errorf("invalid duration %q: use 30, 1.5, 500ms, 2m or 7d", text)
}

// leastEpoch is the smallest number that is a Unix time and not a duration, in seconds: 2001-09-09. mostEpoch is
// beyond every time on a clock.
const (
	leastEpoch = 1e9
	mostEpoch  = 9e9
)

// pastTime returns the time in a flag. It has the format RFC 3339, or is a local date with or without a time of day.
// It may also be a Unix time in seconds, as date +%s prints it, or the duration since then.
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
	number, epoch := strings.CutPrefix(text, "@")
	if seconds, err := strconv.ParseFloat(number, 64); err == nil && seconds >= 0 && seconds < mostEpoch && (epoch || seconds >= leastEpoch) {
		return time.UnixMicro(int64(seconds * 1e6)), nil
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

// choice returns the value of a flag, which must be one of the allowed values.
func choice(cmd *cli.Command, flag string, allowed ...string) (string, error) {
	value := cmd.String(flag)
	for _, a := range allowed {
		if value == a {
			return value, nil
		}
	}
	return "", badValue(flag, value, orList(allowed))
}

// badValue returns the usage error for the value of a flag. use says which values are valid.
func badValue(flag string, value any, use string) error {
	if text, ok := value.(string); ok {
		value = strconv.Quote(text)
	}
	return usagef("--%s: invalid value %v: use %s", flag, value, use)
}

// orList joins alternatives: a, b or c.
func orList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
