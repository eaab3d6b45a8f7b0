package middleware_test

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/gateway/internal/clientip"
	"fledge.dev/gateway/internal/middleware"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
)

// clientOf reads a list of addresses from the right, as RFC 7239 has it: the first one
// that is no proxy of ours, or the last proxy when something else stands there.
func clientOf(list, peer string) string {
	hops := strings.Split(list, ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if host, port, err := net.SplitHostPort(hop); err == nil {
			if _, err := strconv.ParseUint(port, 10, 16); err != nil {
				return peer
			}
			hop = host
		}
		address, _, _ := strings.Cut(strings.Trim(hop, "[]"), "%")
		ip := net.ParseIP(address)
		if ip == nil {
			return peer
		}
		peer = ip.String()
		if four := ip.To4(); four == nil || four[0] != 127 {
			return peer
		}
	}
	return peer
}

// FuzzAccessLog: each request is one line of JSON about the client that our own proxies
// saw, whatever the client writes into it.
func FuzzAccessLog(f *testing.F) {
	var log bytes.Buffer
	observer, err := middleware.NewObserver(obs.NewLogger(&log, "gateway", 0), prometheus.NewRegistry())
	errtest.None(f, err)
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.HandleMethodNotAllowed, e.RedirectTrailingSlash, e.RedirectFixedPath = true, false, false
	e.ForwardedByClientIP = false
	proxies, err := clientip.ParseNetworks([]string{"127.0.0.0/8"})
	errtest.None(f, err)
	e.Use(middleware.RequestID, middleware.Client(proxies), observer.Observe, middleware.Headers(""), middleware.Shape, observer.Recover)
	e.GET("/api/health", func(c *gin.Context) { c.Status(http.StatusOK) })
	for _, seed := range [][5]string{
		{"GET", "/api/health", "203.0.113.7", "curl", ""}, {"GET", "/api/x%0A%7B%22msg%22:1%7D", "6.6.6.6, 203.0.113.7", "a\"}\n{", "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"}, {"TRACE", "/", "127.0.0.1", "", "x"},
		{"POST", "//evil", "203.0.113.7, 127.0.0.1,127.0.0.2", "\x00", "{}"}, {"get", "/api/health?token=hunter2", "not an address", "\xff", "\r\nX: y"}, {"GET", "/api/health", "2001:DB8::1, ::ffff:127.0.0.1", "", ""}, {"GET", "http://evil/api/health", ",", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	f.Fuzz(func(t *testing.T, method, target, forwarded, agent, id string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return // net/http refuses it
		}
		log.Reset()
		header := http.Header{"X-Forwarded-For": {forwarded}, "User-Agent": {agent}, "X-Request-Id": {id}}
		rec := httptest.NewRecorder()
		e.ServeHTTP(rec, &http.Request{Method: method, URL: u, RequestURI: target, Header: header, RemoteAddr: "127.0.0.1:1", Proto: "HTTP/1.1", Body: http.NoBody})
		var line struct {
			Msg, IP, Route string
			RequestID      string `json:"request_id"`
		}
		if err := json.Unmarshal(log.Bytes(), &line); err != nil || strings.Count(log.String(), "\n") != 1 || line.Msg != "request" {
			t.Fatalf("logged %q: %v", log.String(), err)
		}
		if want := clientOf(forwarded, "127.0.0.1"); line.IP != want {
			t.Fatalf("%q came from %q, want %q", forwarded, line.IP, want)
		}
		if line.Route != "unmatched" && line.Route != "/api/health" {
			t.Fatalf("the route %q", line.Route)
		}
		if parsed, err := uuid.Parse(line.RequestID); err != nil || parsed.Version() != 7 || line.RequestID == id || rec.Header().Get("X-Request-Id") != line.RequestID {
			t.Fatalf("the id %q became %q", id, line.RequestID)
		}
		if rec.Code >= http.StatusInternalServerError {
			t.Fatalf("%d", rec.Code)
		}
	})
}
