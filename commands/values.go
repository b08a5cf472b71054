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

// duration returns the value of a flag that is a Go duration or a number of seconds: 30, 1.5, 500ms, 2m.
func duration(cmd *cli.Command, flag string) (time.Duration, error) {
	d, err := parseDuration(cmd.String(flag))
	if err != nil {
		return 0, usagef("--%s %q: %v", flag, cmd.String(flag), err)
	}
	return d, nil
}

func parseDuration(text string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if seconds < 0 || math.IsNaN(seconds) || seconds > math.MaxInt64/1e9 {
			return 0, fmt.Errorf("out of range")
		}
		return time.Duration(seconds * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("not a duration: 30, 1.5, 500ms and 2m are")
	}
	return d, nil
}

// byteCount returns the value of a flag that is a number of bytes: 4096, 64KiB, 256M.
func byteCount(cmd *cli.Command, flag string) (int64, error) {
	n, err := parseBytes(cmd.String(flag))
	if err != nil {
		return 0, usagef("--%s %q: %v", flag, cmd.String(flag), err)
	}
	return n, nil
}

func parseBytes(text string) (int64, error) {
	digits := strings.TrimRight(text, "BKMGTbkmgti")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("not a number of bytes: 4096, 64KiB and 256MiB are")
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
		return 0, fmt.Errorf("unknown unit %q: KiB, MiB and GiB are known", text[len(digits):])
	}
	if n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("out of range")
	}
	return n << shift, nil
}

// parseSize reads the size of a terminal, 80x24; what is what it was given as.
func parseSize(what, text string) (ledger.Size, error) {
	cols, rows, ok := strings.Cut(text, "x")
	c, errCols := strconv.Atoi(cols)
	r, errRows := strconv.Atoi(rows)
	if !ok || strings.Trim(text, "0123456789x") != "" || errCols != nil || errRows != nil || c < 1 || r < 1 || c > 1000 || r > 500 {
		return ledger.Size{}, usagef("%s %q: it is COLSxROWS, as 80x24, up to 1000x500", what, text)
	}
	return ledger.Size{Cols: c, Rows: r}, nil
}

// choice returns the value of a flag that is one of the allowed ones.
func choice(cmd *cli.Command, flag string, allowed ...string) (string, error) {
	value := cmd.String(flag)
	for _, a := range allowed {
		if value == a {
			return value, nil
		}
	}
	return "", usagef("--%s %q: it is one of %s", flag, value, strings.Join(allowed, ", "))
}
