package loopback

import (
	"net"
	"net/http"

	"fledge.dev/services/platform/hostname"
)

// Handler refuses requests that came under a foreign name, which is how a web page
// reads servers of its visitor's house (DNS rebinding).
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !hostname.IsTest(host) && !hostname.IsCluster(host) {
			http.Error(w, "This page answers to names of the house only.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
