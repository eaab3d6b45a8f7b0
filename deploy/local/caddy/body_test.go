package caddy_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// TestABodyThatCannotBeReadIsTheClients: it is no outage, and the connection ends, because
// nobody knows where the next request begins.
func TestABodyThatCannotBeReadIsTheClients(t *testing.T) {
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // only of a longer body the gateway sees a part
		}
		w.WriteHeader(http.StatusAccepted)
		_, _ = fmt.Fprintf(w, "it got %d of %d.", len(body), r.ContentLength)
	}))
	t.Cleanup(gateway.Close)
	origin := door(t, strings.TrimPrefix(gateway.URL, "http://"))
	const chunked, long = "Transfer-Encoding: chunked\r\n\r\n", 100 << 10
	chunk := fmt.Sprintf("%x\r\n%s\r\n", long, strings.Repeat("x", long))
	for name, tc := range map[string]struct{ rest, status, says string }{
		"no chunk":               {rest: chunked + "zz\r\n", status: "400", says: "body_incomplete"},
		"a negative chunk":       {rest: chunked + "-1\r\n", status: "400", says: "body_incomplete"},
		"another notation":       {rest: chunked + "0x2\r\nab\r\n0\r\n\r\n", status: "400", says: "body_incomplete"},
		"nonsense after a while": {rest: chunked + "2\r\n{}\r\nzz\r\n", status: "400", says: "body_incomplete"},
		"nonsense after a lot":   {rest: chunked + chunk + "zz\r\n", status: "400", says: "body_incomplete"},
		"less than announced":    {rest: "Content-Length: 100\r\n\r\n{", status: "408", says: "body_too_slow"},
		"chunks":                 {rest: chunked + "2\r\n{}\r\n0\r\n\r\n", status: "202", says: "it got 2 of 2."},
		"chunks and a length":    {rest: "Content-Length: 7\r\n" + chunked + "2\r\n{}\r\n0\r\n\r\n", status: "202", says: "it got 2 of 2."},
		"many chunks":            {rest: chunked + chunk + "0\r\n\r\n", status: "202", says: fmt.Sprintf("it got %d of -1.", long)},
		"a file":                 {rest: fmt.Sprintf("Content-Length: %d\r\n\r\n%s", long, strings.Repeat("x", long)), status: "202", says: fmt.Sprintf("it got %d of %d.", long, long)},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", "127.0.0.1:"+origin[strings.LastIndex(origin, ":")+1:])
			errtest.None(t, err)
			defer func() { _ = conn.Close() }()
			_ = conn.SetDeadline(time.Now().Add(waittest.Timeout))
			said := "POST /api/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + tc.rest
			if tc.status != "408" {
				said += "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
			}
			if _, err := io.WriteString(conn, said); err != nil {
				t.Fatal(err)
			}
			answered, _ := io.ReadAll(conn) // ends when the front door closes
			text := string(answered)
			if !strings.HasPrefix(text, "HTTP/1.1 "+tc.status+" ") || strings.Count(text, "HTTP/1.1 ") != 1 || !strings.Contains(text, tc.says) {
				t.Errorf("answered %s", text)
			}
			if strings.Contains(text, "Retry-After") {
				t.Errorf("it looks like an outage: %s", text)
			}
		})
	}
}

// TestABodyThatWaitsToBeAskedForIsAskedFor, as curl's above 1 MiB.
func TestABodyThatWaitsToBeAskedForIsAskedFor(t *testing.T) {
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "it got %q", body)
	}))
	t.Cleanup(gateway.Close)
	origin := door(t, strings.TrimPrefix(gateway.URL, "http://"))
	conn, err := net.Dial("tcp", "127.0.0.1:"+origin[strings.LastIndex(origin, ":")+1:])
	errtest.None(t, err)
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(waittest.Timeout))
	_, err = io.WriteString(conn, "POST /api/auth/token HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
	errtest.None(t, err)
	const asked = "HTTP/1.1 100 Continue\r\n\r\n"
	first := make([]byte, len(asked))
	if _, err := io.ReadFull(conn, first); err != nil || string(first) != asked {
		t.Fatalf("%q, %v", first, err)
	}
	_, err = io.WriteString(conn, "{}")
	errtest.None(t, err)
	if rest, _ := io.ReadAll(conn); !strings.Contains(string(rest), "HTTP/1.1 200 ") || // the gateway asks once more, RFC 9110 section 15.2
		!strings.Contains(string(rest), `it got "{}"`) {
		t.Errorf("%s", rest)
	}
}

// TestAPageThatIsAskedForInChunksEndsTheConnection: what counts requests by a length beside the chunks sees others.
func TestAPageThatIsAskedForInChunksEndsTheConnection(t *testing.T) {
	origin := door(t, "127.0.0.1:1")
	for _, target := range []string{"/ localhost", "/config.json localhost", "/nowhere localhost", "/_next/static/x.js localhost", "/ evil.example"} {
		path, host, _ := strings.Cut(target, " ")
		conn, err := net.Dial("tcp", "127.0.0.1:"+origin[strings.LastIndex(origin, ":")+1:])
		errtest.None(t, err)
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(waittest.Timeout))
		said := "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
		if _, err := io.WriteString(conn, said); err != nil {
			t.Fatal(err)
		}
		answered, _ := io.ReadAll(conn) // ends when the front door closes
		if n := strings.Count(string(answered), "HTTP/1.1 "); n != 1 {
			t.Errorf("%s: %d answers", target, n)
		}
	}
}
