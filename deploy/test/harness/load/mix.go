package load

import (
	"fmt"
	"net/http"
	"strings"

	"fledge.dev/deploy/local/person"
)

// Mix deals requests: every other one is a visitor's sign-up, the others are the admin's,
// who reads the paths in turn.
func Mix(site string, admin *person.Person, paths ...string) func(n int) []byte {
	header := http.Header{}
	admin.Authorize(&http.Request{Header: header})
	common := "Host: " + strings.TrimPrefix(site, "http://") + "\r\nOrigin: " + site + "\r\n"
	reads := make([][]byte, len(paths))
	for i, path := range paths {
		reads[i] = []byte("GET " + path + " HTTP/1.1\r\n" + common + "Authorization: " + header.Get("Authorization") + "\r\n\r\n")
	}
	return func(n int) []byte {
		if !SignsUp(n) {
			return reads[n/2%len(reads)]
		}
		body := fmt.Sprintf(`{"email":%q,"source":"hero_section"}`, Email(n))
		return fmt.Appendf(nil, "POST /api/add-waitlist-user HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", common, len(body), body)
	}
}

// SignsUp tells whether the n-th request of a mix is a sign-up.
func SignsUp(n int) bool { return n%2 == 0 }

// Email is who signs up in the n-th request.
func Email(n int) string { return fmt.Sprintf("load-%d@fledge.test", n) }
