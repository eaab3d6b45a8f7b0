package stack

import (
	"compress/gzip"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// TestAnswersAreKeptAsPeopleReadThem, also compressed ones, with what tokens say.
func TestAnswersAreKeptAsPeopleReadThem(t *testing.T) {
	const said = `{"iss":"https://fledge.dev"}`
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{"alg":"ES256"}`)) + "." + encode([]byte(said)) + ".c2lnbmF0dXJl"
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept-Encoding"); got != "gzip" {
			t.Errorf("asked for %q", got)
		}
		w.Header().Set("Content-Encoding", "gzip")
		zipped := gzip.NewWriter(w)
		_, _ = io.WriteString(zipped, `{"access_token":"`+token+`"}`)
		_ = zipped.Close()
	}))
	defer door.Close()
	at, err := url.Parse(door.URL)
	errtest.None(t, err)
	path := filepath.Join(t.TempDir(), "answers")
	file, err := os.Create(path)
	errtest.None(t, err)
	answers := &answers{file: file}
	ingress := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(at); asReadable(r.Out.Header) },
		ModifyResponse: func(resp *http.Response) error { answers.keep(resp); return nil },
	})
	resp, err := ingress.Client().Get(ingress.URL + "/api/auth/token")
	errtest.None(t, err)
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	ingress.Close() // waits for the handler, which has closed the answer by then
	if err != nil || string(body) != `{"access_token":"`+token+`"}` {
		t.Errorf("the client got %q, %v", body, err)
	}
	kept, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(kept), "GET /api/auth/token 200\n") || !strings.Contains(string(kept), said) {
		t.Errorf("kept is %q, %v", kept, err)
	}
}
