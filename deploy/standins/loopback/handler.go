package loopback

import (
	"net"
	"net/http"

	"fledge.dev/services/platform/hostname"
)

// Handler is middleware against DNS rebinding, by which a web page reads servers in its
// visitor's network: it refuses requests with a foreign host name. Where this process is
// Alone there are no strangers, and every name is its own.
func Handler(next http.Handler) http.Handler {
	if Alone() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !hostname.IsTest(host) && !hostname.IsCluster(host) {
			http.Error(w, "This page is served under internal host names only.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Page is middleware for pages: their policy, a Content-Security-Policy, confines what they load, types are not guessed, other
// sites do not learn the address that a visitor comes from, and nothing is kept.
func Page(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
