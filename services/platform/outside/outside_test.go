package outside_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/outside"
	"fledge.dev/services/platform/proxytest"
)

func TestNoRedirectIsFollowed(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		http.Redirect(w, r, "/inside", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	resp, err := outside.Client(10 * time.Second).Get(server.URL + "/hook")
	errtest.None(t, err)
	defer func() { _ = resp.Body.Close() }()
	if want := []string{"/hook"}; resp.StatusCode != http.StatusTemporaryRedirect || !slices.Equal(asked, want) {
		t.Errorf("%s after %v were asked, want %v", resp.Status, asked, want)
	}
}

func TestTheProxyOfTheEnvironmentIsAsked(t *testing.T) {
	asked := proxytest.Asked(t, func() {
		resp, err := outside.Client(10 * time.Second).Get("https://hooks.example.com/")
		if err == nil {
			_ = resp.Body.Close()
			t.Error("no error")
		}
	})
	if want := []string{"hooks.example.com:443"}; !slices.Equal(asked, want) {
		t.Errorf("a proxy was asked for %v, want %v", asked, want)
	}
}
