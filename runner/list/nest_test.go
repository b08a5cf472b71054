package list

import "testing"

func TestNestKeepsAll(t *testing.T) {
	process := func(pid, parent int) Process { return Process{PID: pid, ParentPID: parent} }
	for _, flat := range [][]Process{
		{process(2, 1), process(3, 2), process(4, 2), process(5, 3), process(6, 1)},
		{process(5, 3), process(3, 2), process(2, 1)}, // children first, as leftovers may be
		{process(7, 7)},
	} {
		tree := Flatten(nil, Nest(flat))
		if len(tree) != len(flat) {
			t.Errorf("%v becomes %v", flat, tree)
		}
	}
}

func TestURL(t *testing.T) {
	for _, tt := range []struct {
		address string
		port    int
		want    string
	}{
		{"127.0.0.1", 3000, "http://localhost:3000"},
		{"0.0.0.0", 3000, "http://localhost:3000"},
		{"::", 5173, "http://localhost:5173"},
		{"::1", 5173, "http://localhost:5173"},
		{"::ffff:127.0.0.1", 8080, "http://localhost:8080"},
		{"127.0.0.53", 8080, "http://127.0.0.53:8080"},
		{"0.0.0.0", 80, "http://localhost"},
		{"0.0.0.0", 443, "https://localhost"},
		{"192.168.1.2", 3000, ""},
		{"fe80::1", 3000, ""},
		{"127.0.0.1", 5432, ""},
		{"", 3000, ""},
	} {
		if got := urlOf(tt.address, tt.port); got != tt.want {
			t.Errorf("%s port %d: %q, want %q", tt.address, tt.port, got, tt.want)
		}
	}
}
