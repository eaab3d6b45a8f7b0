package contract_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"fledge.dev/gateway/contract"
	"fledge.dev/services/platform/errtest"
)

func TestCheck(t *testing.T) {
	raw, err := os.ReadFile("../openapi.yaml")
	errtest.None(t, err)
	c, err := contract.Load(raw)
	errtest.None(t, err)
	const failure = `{"error":"No.","code":"no","requestId":"0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"}`
	for name, tt := range map[string]struct {
		method, path string
		status       int
		body         string
		ok           bool
	}{
		"as described":               {"GET", "/api/is-admin", 200, `{"isAdmin":true,"isModerator":false}`, true},
		"a nullable value":           {"GET", "/api/get-waitlist-status", 200, `{"status":null}`, true},
		"a failure":                  {"GET", "/api/is-admin", 503, failure, true},
		"no route, and says so":      {"GET", "/api/nothing", 404, failure, true},
		"no body":                    {"POST", "/api/auth/sign-out", 204, ``, true},
		"a wrong type":               {"GET", "/api/is-admin", 200, `{"isAdmin":"true","isModerator":false}`, false},
		"a missing field":            {"GET", "/api/is-admin", 200, `{}`, false},
		"an extra field":             {"GET", "/api/is-admin", 200, `{"isAdmin":true,"isModerator":false,"roles":[]}`, false},
		"a value outside the enum":   {"GET", "/api/get-waitlist-status", 200, `{"status":"maybe"}`, false},
		"a failure in another shape": {"GET", "/api/is-admin", 503, `{"message":"no"}`, false},
		"a success nobody described": {"GET", "/api/nothing", 200, `{}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			req := httptest.NewRequest(tt.method, tt.path, nil)
			resp := &http.Response{StatusCode: tt.status, Header: http.Header{
				"Content-Type": {"application/json; charset=utf-8"}, "X-Request-Id": {"0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"},
			}}
			if tt.body == "" {
				resp.Header.Del("Content-Type")
			}
			if err := c.Check(req, resp, []byte(tt.body)); (err == nil) != tt.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}
