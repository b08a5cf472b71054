package blocked

import (
	"strings"
	"testing"
)

func TestParseStatus(t *testing.T) {
	const good = "Name:\tState:\tZ\nUmask:\t0022\nState:\tT (stopped)\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n"
	if s, ok := parseStatus([]byte(good)); !ok || s.state != 'T' || s.switches != 695 {
		t.Errorf("%+v, %v, want T and 695", s, ok)
	}
	for _, bad := range []string{"", good[:60], strings.Replace(good, "150", "x", 1), strings.Replace(good, "State:\tT", "Stat:\tT", 1)} {
		if s, ok := parseStatus([]byte(bad)); ok {
			t.Errorf("%q gives %+v", bad, s)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("Name:\tx\nState:\tS (sleeping)\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, ok := parseStatus(data); ok && s.state == 0 {
			t.Errorf("%q gives %+v", data, s)
		}
	})
}
