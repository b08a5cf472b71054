package condition

import (
	"net"
	"net/url"
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
