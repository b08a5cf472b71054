package doctor

import (
	"fmt"
	"strings"
	"time"
)

// count writes a number of things: "1 pattern", "2 patterns".
func count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// some lists the first few names.
func some(names []string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

func was(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " was"
	}
	return count(n, thing) + " were"
}

// BytesText writes a number of bytes for people: 312 bytes, 4.0 KiB, 1.2 GiB.
func BytesText(n int64) string {
	const unit = 1024
	if n < unit {
		return count(n, "byte")
	}
	value, step := float64(n)/unit, 0
	for value >= unit && step < 4 {
		value, step = value/unit, step+1
	}
	return fmt.Sprintf("%.1f %ciB", value, "KMGTP"[step])
}

// Span writes a duration for people, such as 300ms, 1.2s, 12s, 4m10s or 3h20m.
func Span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", max(d, 0).Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%dh", int(d.Hours())/24, int(d.Hours())%24)
}
