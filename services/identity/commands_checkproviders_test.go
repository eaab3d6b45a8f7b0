package identity_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestCheckProvidersCommand(t *testing.T) {
	said := map[string]string{"/google/oauth/token": "invalid_grant", "/apple/oauth/token": "invalid_grant"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"` + said[r.URL.Path] + `"}`))
	}))
	t.Cleanup(server.Close)
	env := []string{"SITE_ORIGIN=https://fledge.test", "KRATOS_STAND_IN_URL=" + server.URL}
	if out, err := command(t, env, "check-providers"); err != nil || out != "google: accepted\napple: accepted\n" {
		t.Errorf("%q, %v", out, err)
	}
	said["/apple/oauth/token"] = "invalid_client"
	if out, err := command(t, env, "check-providers"); err == nil || out != "google: accepted\napple: refused: invalid_client\n" {
		t.Errorf("%q, %v", out, err)
	}
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"no provider":   {[]string{"SITE_ORIGIN=https://fledge.test"}, "no provider"},
		"no site":       {[]string{"KRATOS_STAND_IN_URL=" + server.URL}, "SITE_ORIGIN"},
		"half of Apple": {[]string{"SITE_ORIGIN=https://fledge.test", "APPLE_CLIENT_ID=com.example.web"}, "APPLE_TEAM_ID"},
	} {
		if _, err := command(t, c.env, "check-providers"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := command(t, env, "check-providers", "google"); err == nil {
		t.Error("an argument was taken")
	}
}
