package condition

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	// probeInterval is the time between two looks for something that the kernel does not announce: a listener, or
	// a file on any file system. A look takes microseconds.
	probeInterval = 4 * time.Millisecond

	// knockInterval and knockMost are the first and the longest pause between two requests to a server.
	knockInterval = 20 * time.Millisecond
	knockMost     = 250 * time.Millisecond

	// knockTime is how long a server may take to answer.
	knockTime = 5 * time.Second
)

// Probe looks for a file, a listener or a server until it is there or ctx ends. It yields a note whenever the reason why
// it is not there changes, with "" for no reason. At last it yields that it is there. ours returns the pids of the
// session's processes.
func (c Condition) Probe(ctx context.Context, ours func() []int) iter.Seq2[string, bool] {
	return func(yield func(note string, there bool) bool) {
		interval, last := probeInterval, ""
		look := c.look
		switch {
		case c.Kind == UntilPort && c.port == 0:
			look = new(anyPort).look
		case c.Kind == UntilPort:
			look = (&onePort{port: c.port}).look
		case c.Kind == UntilOpen:
			look = newOpenPorts(c.open).look
		}
		for {
			note, there := look(ctx, ours)
			if ctx.Err() != nil {
				return
			}
			if there {
				yield("", true)
				return
			}
			if note != last {
				if last = note; !yield(note, false) {
					return
				}
			}
			if c.IsPort() {
				if interval = probeInterval; note != "" || c.port == 0 {
					interval = knockInterval // the look goes through every process
				}
			}
			if c.Kind == UntilHTTP {
				interval = min(max(2*interval, knockInterval), knockMost)
			}
			select {
			case <-time.After(interval):
			case <-ctx.Done():
				return
			}
		}
	}
}

// look reports whether a file or a server is there, and the reason if it is not.
func (c Condition) look(ctx context.Context, _ func() []int) (note string, there bool) {
	switch c.Kind {
	case UntilFile:
		_, err := os.Stat(c.path)
		return "", err == nil
	case UntilHTTP:
		code, err := c.knock(ctx)
		switch {
		case err == nil && code < 400:
			return "", true
		case err == nil:
			return fmt.Sprintf("%s answers with %d", c.url, code), false
		}
		return "nobody answers at " + c.url.Host, false
	}
	return "", false
}

// connect connects to the server of the URL. The name localhost means this machine (RFC 6761, section 6.3), also where no file and no
// server of names has it.
func (c Condition) connect(ctx context.Context) (conn net.Conn, err error) {
	hosts := []string{c.url.Hostname()}
	if strings.EqualFold(hosts[0], "localhost") {
		hosts = []string{"127.0.0.1", "::1"}
	}
	dialer := net.Dialer{Timeout: knockTime}
	for _, host := range hosts {
		if conn, err = dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, cmp.Or(c.url.Port(), "80"))); err == nil {
			break
		}
	}
	return conn, err
}

// knock sends a GET request (RFC 9112) and returns the code of the response. It implements no more of HTTP than that:
// an HTTP library would cost each call of devtools more than this does.
func (c Condition) knock(ctx context.Context) (code int, err error) {
	conn, err := c.connect(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := conn.SetDeadline(time.Now().Add(knockTime)); err != nil {
		return 0, err
	}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: devtools\r\nAccept: */*\r\nConnection: close\r\n\r\n", c.url.RequestURI(), c.url.Host)
	if err != nil {
		return 0, err
	}
	return statusCode(conn)
}

// mostStatusLine is the maximum length of the line that is read of an answer, in bytes.
const mostStatusLine = 4 << 10

// statusCode reads the status line of an answer (RFC 9112, section 4) and returns its code, which has three digits.
func statusCode(answer io.Reader) (code int, err error) {
	line, err := bufio.NewReader(io.LimitReader(answer, mostStatusLine)).ReadString('\n')
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(line)
	if len(fields) < 2 || !strings.HasPrefix(fields[0], "HTTP/") {
		return 0, errors.New("the answer is not HTTP")
	}
	number, err := strconv.ParseUint(fields[1], 10, 16)
	if err != nil || len(fields[1]) != len("200") {
		return 0, fmt.Errorf("the answer has the status %.20q, which is no code of HTTP", fields[1])
	}
	return int(number), nil
}
