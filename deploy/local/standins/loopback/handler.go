package loopback

import (
	"net"
	"net/http"
)

// Handler refuses requests that reached a loopback listener under a foreign name,
// which is how a web page reads local servers (DNS rebinding).
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !IsHost(host) {
			http.Error(w, "This page answers to localhost only.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
