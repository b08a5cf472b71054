package commands

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	words := strings.Fields("log ls launch stop start stacks status screen send-keys kill kill-orphans watch wait")
	for mistyped, want := range map[string]string{
		"lgo": "log", "sotp": "stop", "sned-keys": "send-keys", "send": "send-keys", "stat": "status",
		"screens": "screen", "lanch": "launch", "kil": "kill", "wathc": "watch", "frob": "", "": "", "l": "",
		"xs": "", "stackoverflow": "", "ks": "", "LOG": "log", "aunch": "launch", "waxy": "", "sc": "screen", "wait": "",
	} {
		if got := nearest(mistyped, words); got != want {
			t.Errorf("%q: %q, want %q", mistyped, got, want)
		}
	}
}
