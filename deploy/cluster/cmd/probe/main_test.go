package main

import (
	"net"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
)

func TestAnOpenPortIsToldFromAClosedOne(t *testing.T) {
	listen := func() net.Listener {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		errtest.None(t, err)
		return listener
	}
	open, closed := listen(), listen()
	defer func() { _ = open.Close() }()
	refused := closed.Addr().String()
	errtest.None(t, closed.Close())

	var out strings.Builder
	report(&out, []string{refused, open.Addr().String(), "127.0.0.1:no-port"}, options{attempts: 2, timeout: time.Second})

	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "closed "+refused+" ") || lines[1] != "open "+open.Addr().String() ||
		!strings.HasPrefix(lines[2], "closed 127.0.0.1:no-port ") {
		t.Errorf("printed:\n%s", out.String())
	}
}
