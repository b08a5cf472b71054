package proc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() {
	// A server listens as its arguments say (network, address, and a port for
	// SO_REUSEPORT) and hands its socket on to a child, which says so.
	roles["listen"] = func() error {
		config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
			var failed error
			err := c.Control(func(fd uintptr) {
				failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
			})
			if err != nil {
				return err
			}
			return failed
		}}
		l, err := config.Listen(context.Background(), os.Args[1], os.Args[2])
		if err != nil {
			return err
		}
		if len(os.Args) > 3 {
			file, err := l.(*net.TCPListener).File()
			if err != nil {
				return err
			}
			cmd := exec.Command("sh", "-c", "read x")
			cmd.Stdin, cmd.ExtraFiles = os.Stdin, []*os.File{file}
			if err := cmd.Start(); err != nil {
				return err
			}
			fmt.Println(cmd.Process.Pid)
		}
		fmt.Println(l.Addr().(*net.TCPAddr).Port)
		_, err = os.Stdin.Read(make([]byte, 1))
		return err
	}
}

// listening starts a server and returns its port.
func listening(t testing.TB, network, address string) (*child, int) {
	t.Helper()
	c := start(t, play("listen", network, address))
	return c, c.number()
}

func (c *child) number() int {
	c.t.Helper()
	n, err := strconv.Atoi(c.line())
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

func TestListeners(t *testing.T) {
	for _, tt := range []struct {
		network, address, want string
		v6only                 bool
	}{
		{"tcp4", "127.0.0.1:0", "127.0.0.1", false},
		{"tcp4", ":0", "0.0.0.0", false},
		{"tcp6", "[::1]:0", "::1", true},
		{"tcp6", ":0", "::", true},
		{"tcp", ":0", "::", false}, // both
	} {
		t.Run(tt.network+" "+tt.address, func(t *testing.T) {
			c, port := listening(t, tt.network, tt.address)
			all, err := Listeners(port)
			if err != nil {
				t.Fatal(err)
			}
			if len(all) != 1 {
				t.Fatalf("listeners of port %d are %+v, want one", port, all)
			}
			l := all[0]
			if l.Address != tt.want || l.Port != port || l.Inode == 0 || l.V6Only != tt.v6only || l.PID != 0 {
				t.Errorf("%+v, want %s port %d, only IPv6 %v", l, tt.want, port, tt.v6only)
			}
			name := c.info().Name
			owned := Owned(all, []int{os.Getpid(), c.Process.Pid})
			if len(owned) != 1 || owned[0].PID != c.Process.Pid || owned[0].Name != name {
				t.Errorf("owned by %+v, want process %d, %s", owned, c.Process.Pid, name)
			}
			if none := Owned(all, []int{os.Getpid()}); none != nil {
				t.Errorf("a process that does not listen owns %+v", none)
			}
			if owner, ok := OwnerOf(l.Inode); !ok || owner.PID != c.Process.Pid {
				t.Errorf("owner is %+v, %v, want process %d", owner, ok, c.Process.Pid)
			}
			ports, err := Ports([]int{c.Process.Pid})
			if err != nil || !slices.Equal(ports, owned) {
				t.Errorf("ports are %+v, %v, want %+v", ports, err, owned)
			}
			c.stdin.Close()
			c.await()
			if all, err := Listeners(port); err != nil || len(all) != 0 {
				t.Errorf("after its end %+v, %v", all, err)
			}
		})
	}
}

func (c *child) info() Info {
	c.t.Helper()
	info, err := Read(c.Process.Pid)
	if err != nil {
		c.t.Fatal(err)
	}
	return info
}

func TestListenersOfAConnection(t *testing.T) {
	_, port := listening(t, "tcp4", "127.0.0.1:0")
	conn, err := net.Dial("tcp4", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// Neither the connection itself nor its own port listens.
	if all, err := Listeners(port); err != nil || len(all) != 1 {
		t.Errorf("listeners of port %d are %+v, %v, want one", port, all, err)
	}
	local := conn.LocalAddr().(*net.TCPAddr).Port
	if all, err := Listeners(local); err != nil || len(all) != 0 {
		t.Errorf("listeners of port %d are %+v, %v, want none", local, all, err)
	}
}

func TestInheritedListener(t *testing.T) {
	c := start(t, play("listen", "tcp4", "127.0.0.1:0", "share"))
	heir, port := c.number(), c.number()
	all, err := Listeners(port)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, pids := range [][]int{{heir}, {c.Process.Pid}, {heir, c.Process.Pid}} {
		if owned := Owned(all, pids); len(owned) != 1 || owned[0].PID != pids[0] {
			t.Errorf("of %v the owner is %+v", pids, owned)
		}
	}
}

func TestSharedPort(t *testing.T) {
	a, port := listening(t, "tcp4", "127.0.0.1:0")
	b, _ := listening(t, "tcp4", "127.0.0.1:"+strconv.Itoa(port))
	all, err := Listeners(port)
	if err != nil || len(all) != 2 || all[0].Inode == all[1].Inode {
		t.Fatalf("%+v, %v, want two sockets", all, err)
	}
	var pids []int
	for _, l := range Owned(all, []int{a.Process.Pid, b.Process.Pid}) {
		pids = append(pids, l.PID)
	}
	slices.Sort(pids)
	want := []int{a.Process.Pid, b.Process.Pid}
	slices.Sort(want)
	if !slices.Equal(pids, want) {
		t.Errorf("owners are %v, want %v", pids, want)
	}
	if owned := Owned(all, []int{b.Process.Pid}); len(owned) != 1 {
		t.Errorf("one of them owns %+v", owned)
	}
}

// What the kernel filters is what is left of all.
func TestListenersOfAllPorts(t *testing.T) {
	_, port := listening(t, "tcp4", "127.0.0.1:0")
	for _, neighbour := range []int{port - 1, port, port + 1} {
		all, err := Listeners(0)
		if err != nil {
			t.Fatal(err)
		}
		all = slices.DeleteFunc(all, func(l Listener) bool { return l.Port != neighbour })
		if got, err := Listeners(neighbour); err != nil || !slices.Equal(got, all) {
			t.Errorf("port %d: %+v, %v, want %+v", neighbour, got, err, all)
		}
	}
}

func FuzzParseListener(f *testing.F) {
	f.Add(make([]byte, inetDiagMessage))
	f.Add(append(make([]byte, inetDiagMessage), 5, 0, inetDiagV6Only, 0, 1, 0, 0, 0))
	f.Fuzz(func(t *testing.T, message []byte) {
		if l, ok := parseListener(message); ok && (l.Address == "" || l.Port < 0 || l.Port > 65535) {
			t.Errorf("%+v", l)
		}
	})
}

func BenchmarkListeners(b *testing.B) {
	_, port := listening(b, "tcp4", "127.0.0.1:0")
	for b.Loop() {
		if all, err := Listeners(port); err != nil || len(all) != 1 {
			b.Fatal(all, err)
		}
	}
}

func BenchmarkPorts(b *testing.B) {
	c, _ := listening(b, "tcp4", "127.0.0.1:0")
	for b.Loop() {
		if all, err := Ports([]int{c.Process.Pid}); err != nil || len(all) != 1 {
			b.Fatal(all, err)
		}
	}
}

// The owner of a socket that a child has too is the process that started first.
func TestOwnerOfShared(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	file, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	worker := exec.Command("cat")
	worker.ExtraFiles = []*os.File{file}
	stdin, err := worker.StdinPipe()
	if err == nil {
		err = worker.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := Listeners(l.Addr().(*net.TCPAddr).Port)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if n := len(heldSockets(worker.Process.Pid, map[uint64]bool{all[0].Inode: true})); n != 1 {
		t.Errorf("the worker has %d sockets", n)
	}
	if owner, ok := OwnerOf(all[0].Inode); !ok || owner.PID != os.Getpid() {
		t.Errorf("owner is %+v, %v, want %d", owner, ok, os.Getpid())
	}
	if err := errors.Join(stdin.Close(), worker.Wait()); err != nil {
		t.Error(err)
	}
}
