package proc

import (
	"runtime"
	"strings"
	"testing"
)

func TestSightConcludes(t *testing.T) {
	good := Sight{System: "linux", Kernel: "6.1", Proc: true, Place: true, PtraceScope: -1, Children: true, KnownCalls: true}
	with := func(change func(*Sight)) Sight {
		s := good
		change(&s)
		return s
	}
	refused := func(scope int, place bool) Sight {
		return with(func(s *Sight) { s.Syscall, s.PtraceScope, s.Place = "operation not permitted", scope, place })
	}
	for _, tt := range []struct {
		name  string
		sight Sight
		level SightLevel
		says  string
	}{
		{"all", good, SightFull, "tells what each program waits for."},
		{"Ubuntu", with(func(s *Sight) { s.PtraceScope = 1 }), SightFull, "tells what each program waits for."},
		{"root with scope 2", with(func(s *Sight) { s.PtraceScope = 2 }), SightFull, "tells what each program waits for."},
		{"scope 2", refused(2, true), SightPartial, "sysctl kernel.yama.ptrace_scope=1"},
		{"scope 3", refused(3, true), SightPartial, "start the machine anew"},
		{"scope 2 without places", refused(2, false), SightNone, "on the screen alone"},
		{"a container", refused(-1, true), SightPartial, "SYS_PTRACE"},
		{"a container with scope 1", refused(1, false), SightNone, "(operation not permitted)"},
		{"gVisor", with(func(s *Sight) { s.Syscall, s.NoSyscall, s.Place = "no such file", true, false }), SightNone, "gVisor"},
		{"no /proc", with(func(s *Sight) { s.Proc = false }), SightNone, "mount -t proc"},
		{"hidden users", with(func(s *Sight) { s.HidePID = "invisible" }), SightFull, "(hidepid=invisible of /proc)"},
		{"no lists", with(func(s *Sight) { s.Children = false }), SightFull, "CONFIG_PROC_CHILDREN"},
		{"another processor", with(func(s *Sight) { s.KnownCalls = false }), SightNone, runtime.GOARCH},
		{"macOS", Sight{System: "darwin"}, SightNone, "There is no /proc on darwin"},
	} {
		got := tt.sight.conclude()
		if got.Level != tt.level || !strings.Contains(got.Sentence, tt.says) || !strings.HasSuffix(got.Sentence, ".") {
			t.Errorf("%s: %s %q, want %s with %q", tt.name, got.Level, got.Sentence, tt.level, tt.says)
		}
	}
}

func TestInspection(t *testing.T) {
	s := Inspection()
	t.Logf("%+v", s)
	if s.System != runtime.GOOS || s.Sentence == "" {
		t.Errorf("%+v", s)
	}
	if s.Level == SightFull != (runtime.GOOS == "linux" && s.Syscall == "" && s.KnownCalls) {
		t.Errorf("the level does not follow: %+v", s)
	}
}
