//go:build unix

package watchtest

import (
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"devtools/runner/runnertest"
	"devtools/runner/watch"
)

// dataServer keeps its data where Django and Flask keep them: beside the sources.
const dataServer = `import http.server, os, sqlite3, sys
db = sqlite3.connect("db.sqlite3", isolation_level=None)
db.execute("pragma journal_mode=" + sys.argv[2])
db.execute("create table if not exists visits (at)")
with open("app.pid", "w") as f:
    f.write(str(os.getpid()))
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        db.execute("insert into visits values (1)")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(os.getpid()).encode())
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
`

// TestWatchData has a server write to its database at each request: that is no reason to start it again.
func TestWatchData(t *testing.T) {
	t.Parallel()
	runnertest.Need(t, "python3")
	for _, mode := range []string{"delete", "wal"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := newWatchRig(t)
			r.write("app.py", dataServer)
			w := r.watch("--ready", "port:"+strconv.Itoa(r.port), "--", "python3", "app.py", strconv.Itoa(r.port), mode)
			pid := strconv.Itoa(w.until(watch.EventReady).PID)
			for range 5 {
				if got := r.get(); got != pid {
					t.Fatalf("process %s answers, the one that was started is %s:\n%s", got, pid, w.told())
				}
			}
			if _, err := os.Stat(r.path("db.sqlite3")); err != nil {
				t.Fatal(err)
			}
			r.write("app.py", dataServer+"# changed\n")
			if _, others := w.sees("app.py"); others != 0 || w.count(watch.EventSpawn) != 1 {
				t.Errorf("the database is a source:\n%s", w.told())
			}
			w.until(watch.EventReady)
			if got := r.get(); got == pid {
				t.Errorf("process %s answers still", got)
			}
			w.end(os.Interrupt)
		})
	}
}

// get asks the server for its page.
func (r *watchRig) get() string {
	r.t.Helper()
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Get("http://127.0.0.1:" + strconv.Itoa(r.port))
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(page)
}

// TestWatchSockets has sockets of any name come and go.
func TestWatchSockets(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	w := r.looking()
	for _, name := range []string{"app.sock", "socket", ".s.PGSQL.5432"} {
		l, err := net.Listen("unix", r.path(name))
		if err != nil {
			t.Fatal(err)
		}
		r.write("src.txt", "with "+name)
		w.sees("src.txt")
		_ = l.Close() // removes it
		r.write("src.txt", "without "+name)
		w.sees("src.txt")
	}
	if seen := w.seen(); len(seen) != 1 {
		t.Errorf("told: %v", seen)
	}
}
