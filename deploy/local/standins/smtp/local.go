package smtp

import (
	"net"
	"net/http"

	"fledge.dev/deploy/local/standins/loopback"
)

// localHost refuses requests that reached the loopback listener under a
// foreign name, which is how a web page reads local servers (DNS rebinding).
func localHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !loopback.IsHost(host) {
			http.Error(w, "This page answers to localhost only.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
