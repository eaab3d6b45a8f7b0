package ports_test

import (
	"net"
	"runtime"
	"strings"
	"testing"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/services/platform/errtest"
)

func TestPortsAreFreeAndNeverTheSame(t *testing.T) {
	alloc, seen := ports.New(), map[int]bool{}
	for range 200 {
		port, err := alloc.Port()
		errtest.None(t, err)
		if seen[port] {
			t.Fatalf("%d twice", port)
		}
		// Linux gives 32768 and above to outgoing connections.
		if port >= 32768 {
			t.Fatalf("%d could be taken by an outgoing connection", port)
		}
		seen[port] = true
	}
}

// TestNobodyElseGetsThePortsOfAPartThatIsDown: what has not started yet, or was killed,
// finds its port as it was promised.
func TestNobodyElseGetsThePortsOfAPartThatIsDown(t *testing.T) {
	const others, each = 20, 100
	var all []*ports.Allocator
	owner := map[int]int{}
	for i := range others {
		all = append(all, ports.New())
		for range each {
			port, err := all[i].Port()
			errtest.None(t, err)
			if first, again := owner[port]; again {
				t.Fatalf("%d and %d both have %d", first, i, port)
			}
			owner[port] = i
		}
	}
	runtime.KeepAlive(all)
}

func TestRequireTellsHowToMendATakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	if err := ports.Require(port); err == nil || !strings.Contains(err.Error(), "taken by another program") || !strings.Contains(err.Error(), "PORT=") {
		t.Errorf("got %v", err)
	}
	errtest.None(t, l.Close())
	if err := ports.Require(port); err != nil {
		t.Errorf("after it was freed: %v", err)
	}
}

func TestSite(t *testing.T) {
	for value, want := range map[string]int{"": 8080, "9000": 9000, "65531": 65531, "65532": 0, "0": 0, "-1": 0, "http": 0} {
		t.Setenv("PORT", value)
		port, err := ports.Site()
		if port != want || (err != nil) != (want == 0) {
			t.Errorf("PORT=%q: %d, %v", value, port, err)
		}
	}
}
