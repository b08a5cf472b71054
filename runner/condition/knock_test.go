package condition

import (
	"net"
	"net/url"
	"strings"
	"testing"
)

// localhost is either address of this machine, whatever resolves names.
func TestConnectToLocalhost(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "[::1]"} {
		l, err := net.Listen("tcp", host+":0")
		if err != nil {
			t.Logf("%s: %v", host, err) // a machine without IPv6
			continue
		}
		defer l.Close()
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c := Condition{Kind: UntilHTTP, url: &url.URL{Host: "LocalHost:" + port}}
		conn, err := c.connect(t.Context())
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		_ = conn.Close()
	}
}

// Any server may answer. Its code has three digits, and no more than one line is read.
func FuzzStatusCode(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nServer: x\r\n\r\n")
	f.Add("HTTP/1.1 -5\n")
	f.Add("SSH-2.0-OpenSSH\r\n")
	f.Fuzz(func(t *testing.T, answer string) {
		rest := strings.NewReader(answer)
		code, err := statusCode(rest)
		if code < 0 || code > 999 || err != nil && code != 0 {
			t.Errorf("%q: %d, %v", answer, code, err)
		}
		if taken := len(answer) - rest.Len(); taken > mostStatusLine {
			t.Errorf("%d bytes are read", taken)
		}
	})
}
