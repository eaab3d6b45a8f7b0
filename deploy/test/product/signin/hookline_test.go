package signin

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// hookLine is the line from Kratos to identity's hook listener. It can be cut:
// for what is reported after a sign-in, or for everything.
type hookLine struct {
	url             string
	noReports, down atomic.Bool
}

func newHookLine(t *testing.T, addr string) *hookLine {
	t.Helper()
	target, err := url.Parse("http://" + addr)
	errtest.None(t, err)
	l := &hookLine{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l.down.Load() || l.noReports.Load() && strings.HasSuffix(r.URL.Path, "/signed-in") {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}
