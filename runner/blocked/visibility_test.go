package blocked

import (
	"runtime"
	"strings"
	"testing"
)

func TestVisibilityConcludes(t *testing.T) {
	good := Visibility{System: "linux", Kernel: "6.1", Proc: true, Wchan: true, PtraceScope: -1, Children: true, KnownCalls: true}
	with := func(change func(*Visibility)) Visibility {
		v := good
		change(&v)
		return v
	}
	refused := func(scope int, place bool) Visibility {
		return with(func(v *Visibility) { v.Syscall, v.PtraceScope, v.Wchan = "operation not permitted", scope, place })
	}
	for _, tt := range []struct {
		name       string
		visibility Visibility
		level      VisibilityLevel
		says       string
	}{
		{"all", good, VisibilityFull, "tells what each program waits for."},
		{"Ubuntu", with(func(v *Visibility) { v.PtraceScope = 1 }), VisibilityFull, "tells what each program waits for."},
		{"root with scope 2", with(func(v *Visibility) { v.PtraceScope = 2 }), VisibilityFull, "tells what each program waits for."},
		{"scope 2", refused(2, true), VisibilityPartial, "sysctl kernel.yama.ptrace_scope=1"},
		{"scope 3", refused(3, true), VisibilityPartial, "start the machine anew"},
		{"scope 2 without places", refused(2, false), VisibilityNone, "on the screen alone"},
		{"a container", refused(-1, true), VisibilityPartial, "SYS_PTRACE"},
		{"a container with scope 1", refused(1, false), VisibilityNone, "(operation not permitted)"},
		{"gVisor", with(func(v *Visibility) { v.Syscall, v.NoSyscall, v.Wchan = "no such file", true, false }), VisibilityNone, "gVisor"},
		{"no /proc", with(func(v *Visibility) { v.Proc = false }), VisibilityNone, "mount -t proc"},
		{"hidden users", with(func(v *Visibility) { v.HidePID = "invisible" }), VisibilityFull, "(hidepid=invisible of /proc)"},
		{"no lists", with(func(v *Visibility) { v.Children = false }), VisibilityFull, "CONFIG_PROC_CHILDREN"},
		{"another processor", with(func(v *Visibility) { v.KnownCalls = false }), VisibilityNone, runtime.GOARCH},
		{"macOS", Visibility{System: "darwin"}, VisibilityNone, "There is no /proc on darwin"},
	} {
		got := tt.visibility.conclude()
		if got.Level != tt.level || !strings.Contains(got.Sentence, tt.says) || !strings.HasSuffix(got.Sentence, ".") {
			t.Errorf("%s: %s %q, want %s with %q", tt.name, got.Level, got.Sentence, tt.level, tt.says)
		}
	}
}

func TestCheckVisibility(t *testing.T) {
	v := CheckVisibility()
	t.Logf("%+v", v)
	if v.System != runtime.GOOS || v.Sentence == "" {
		t.Errorf("%+v", v)
	}
	if v.Level == VisibilityFull != (runtime.GOOS == "linux" && v.Syscall == "" && v.KnownCalls) {
		t.Errorf("the level does not follow: %+v", v)
	}
}
