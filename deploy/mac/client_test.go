package mac_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fledge.dev/deploy/mac"
	"fledge.dev/services/platform/errtest"
)

func TestSitesThatMayHaveTokens(t *testing.T) {
	for raw, want := range map[string]string{
		"https://fledge.example": "https://fledge.example", "https://fledge.example/": "https://fledge.example",
		"http://localhost:8080": "http://localhost:8080", "http://127.0.0.1:1": "http://127.0.0.1:1", "http://[::1]:1": "http://[::1]:1",
		"http://fledge.example": "", "http://localhost.evil.example": "", "http://127.0.0.1.evil.example": "", "http://127.0.0.1@evil.example": "",
		"ftp://localhost": "", "localhost:8080": "", "": "", "https://": "", "https://fledge.example/x": "", "https://fledge.example?x": "", "https://u@fledge.example": "",
	} {
		site, err := mac.ParseSite(raw)
		if (err == nil) != (want != "") || site.String() != want {
			t.Errorf("%q: %q, %v", raw, site, err)
		}
	}
}

func TestACodeIsTradedWithAllThatProvesItOurs(t *testing.T) {
	site := &fakeSite{}
	c := client(t, site)
	attempt := c.Begin("google", mac.Link)
	errtest.None(t, c.Await(t.Context(), attempt))
	link := mac.Link + "?code=CODE&state=" + attempt.State
	if _, err := c.Handle(t.Context(), link); err != nil {
		t.Fatal(err)
	}
	var sent map[string]string
	errtest.None(t, json.Unmarshal([]byte(site.bodies[0]), &sent))
	want := map[string]string{
		"grant_type": "authorization_code", "code": "CODE", "code_verifier": string(attempt.Verifier),
		"redirect_uri": mac.Link, "device_name": "Ann's MacBook",
	}
	if fmt.Sprint(sent) != fmt.Sprint(want) {
		t.Errorf("sent %v", sent)
	}
	if r := site.requests[0]; r.Header.Get("Authorization") != "" || r.URL.String() != origin+"/api/auth/token" {
		t.Errorf("went to %s", r.URL)
	}
	if _, err := c.Handle(t.Context(), link); !errors.Is(err, mac.ErrNoAttempt) || len(site.requests) != 1 {
		t.Errorf("a second callback: %v", err)
	}
}

func TestAForeignLinkLeavesTheSignInWaiting(t *testing.T) {
	site := &fakeSite{}
	c := client(t, site)
	attempt := c.Begin("google", mac.Link)
	errtest.None(t, c.Await(t.Context(), attempt))
	if _, err := c.Handle(t.Context(), mac.Link+"?code=EVIL&state=x"); !errors.Is(err, mac.ErrForeignCallback) || len(site.requests) != 0 {
		t.Errorf("got %v", err)
	}
	if _, err := c.Handle(t.Context(), mac.Link+"?code=CODE&state="+attempt.State); err != nil {
		t.Error(err)
	}
}

func TestACodeIsNeverTradedTwice(t *testing.T) {
	site := &fakeSite{lose: func(int) bool { return true }}
	c := client(t, site)
	attempt := c.Begin("google", mac.Link)
	answer, err := attempt.Read(mac.Link+"?code=CODE&state="+attempt.State, attempt.StartedAt)
	errtest.None(t, err)
	if _, err := c.Complete(t.Context(), attempt, answer); !errors.Is(err, mac.ErrUnreachable) || site.times("authorization_code") != 1 {
		t.Errorf("%v after %d exchanges", err, site.times("authorization_code"))
	}
}

func TestTokensOfALinkAreBelievedOnlyWhenTheSiteKnowsThem(t *testing.T) {
	for token, good := range map[string]bool{"ACCESS": true, "MADE-UP": false} {
		site := &fakeSite{access: "ACCESS"}
		c := client(t, site)
		attempt := c.BeginWithoutCode("google")
		errtest.None(t, c.Await(t.Context(), attempt))
		link := mac.Link + "#access_token=" + token + "&refresh_token=R&expires_in=600&token_type=bearer&state=" + attempt.State
		who, err := c.Handle(t.Context(), link)
		if (err == nil) != good || good && who.Email != "ann@fledge.test" {
			t.Errorf("%s: %+v, %v", token, who, err)
		}
		if _, err := c.Credentials(); (err == nil) != good {
			t.Errorf("%s: kept: %v", token, err)
		}
	}
}

func TestSigningInAgainEndsTheSessionBefore(t *testing.T) {
	site := &fakeSite{}
	c := client(t, site)
	signIn(t, c)
	signIn(t, c)
	if fmt.Sprint(site.signOuts) != "[device Bearer ACCESS-1]" {
		t.Errorf("ended %v", site.signOuts)
	}
	if kept, err := c.Credentials(); err != nil || string(kept.AccessToken) != "ACCESS-2" {
		t.Errorf("kept %s, %v", string(kept.AccessToken), err)
	}
}

// TestSigningInAgainEndsAnOldSession: an access token that has run out signs
// nobody out, its refresh token does.
func TestSigningInAgainEndsAnOldSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site, dir := &fakeSite{}, t.TempDir()
		c := clientIn(t, site, dir)
		signIn(t, c)
		pass(24 * time.Hour)
		var seen []string
		site.meanwhile = func(path string) {
			kept, err := c.Credentials()
			seen = append(seen, fmt.Sprint(path, " ", string(kept.AccessToken)))
			if path == "/api/auth/token" && len(seen) == 1 {
				return // the code
			}
			// Others are not held up.
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			other := clientIn(t, site, dir)
			if err := errors.Join(err, other.Await(ctx, other.Begin("google", mac.Link))); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		signIn(t, c)
		if want := "[/api/auth/token ACCESS-1 /api/auth/token ACCESS-2 /api/auth/sign-out ACCESS-2]"; fmt.Sprint(seen) != want {
			t.Errorf("asked %v with, each time, these tokens kept", seen)
		}
		if fmt.Sprint(site.signOuts) != "[device Bearer FORMER-ACCESS]" {
			t.Errorf("ended %v", site.signOuts)
		}
	})
}

// TestSigningInAgainWorksWithoutTheSessionBefore: what cannot be ended does not
// stand in the way.
func TestSigningInAgainWorksWithoutTheSessionBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fakeSite{}
		c := client(t, site)
		signIn(t, c)
		pass(24 * time.Hour)
		site.leaf = "" // somebody removed the device
		signIn(t, c)
		if kept, err := c.Credentials(); err != nil || string(kept.AccessToken) != "ACCESS-2" || len(site.signOuts) != 0 {
			t.Errorf("kept %s, %v; ended %v", string(kept.AccessToken), err, site.signOuts)
		}
	})
}

func TestSigningOut(t *testing.T) {
	t.Run("here", func(t *testing.T) {
		site := &fakeSite{}
		c := client(t, site)
		signIn(t, c)
		for range 2 { // the second finds nothing to do
			if err := c.SignOut(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if fmt.Sprint(site.signOuts) != "[device Bearer ACCESS-1]" {
			t.Errorf("ended %v", site.signOuts)
		}
	})
	t.Run("here, with the site down", func(t *testing.T) {
		site := &fakeSite{}
		c := client(t, site)
		signIn(t, c)
		site.status = 503
		if err := c.SignOut(t.Context()); !errors.Is(err, mac.ErrStillListed) {
			t.Errorf("got %v", err)
		}
		if _, err := c.Credentials(); !errors.Is(err, mac.ErrSignedOut) {
			t.Errorf("kept: %v", err)
		}
	})
	t.Run("with an access token that is refused before its time", func(t *testing.T) {
		for want, end := range map[string]func(*mac.Client, context.Context) error{
			"[device Bearer ACCESS-2]": (*mac.Client).SignOut, "[all Bearer ACCESS-2]": (*mac.Client).SignOutEverywhere,
		} {
			site := &fakeSite{}
			c := client(t, site)
			signIn(t, c)
			site.access = "another" // keys were replaced in an emergency
			if err := end(c, t.Context()); err != nil || fmt.Sprint(site.signOuts) != want {
				t.Errorf("ended %v, not %s: %v", site.signOuts, want, err)
			}
			if _, err := c.Credentials(); !errors.Is(err, mac.ErrSignedOut) {
				t.Errorf("kept: %v", err)
			}
		}
	})
	t.Run("everywhere", func(t *testing.T) {
		site := &fakeSite{}
		c := client(t, site)
		signIn(t, c)
		site.status = 503
		if err := c.SignOutEverywhere(t.Context()); err == nil {
			t.Error("nobody was told, and all is well")
		}
		site.status = 0
		if err := c.SignOutEverywhere(t.Context()); err != nil || fmt.Sprint(site.signOuts) != "[all Bearer ACCESS-1]" {
			t.Errorf("ended %v, %v", site.signOuts, err)
		}
		if err := c.SignOutEverywhere(t.Context()); !errors.Is(err, mac.ErrSignedOut) {
			t.Errorf("again: %v", err)
		}
	})
}

func TestNoRedirectIsFollowed(t *testing.T) {
	var stolen bool
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen = true }))
	defer thief.Close()
	for _, status := range []int{302, 307, 308} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, thief.URL+"/api/auth/token", status) }))
		store, err := mac.OpenStore(t.TempDir())
		errtest.None(t, err)
		at, err := mac.ParseSite(site.URL)
		errtest.None(t, err)
		c := mac.New(mac.Options{Site: at, Store: store})
		attempt := c.Begin("google", mac.Link)
		answer, err := attempt.Read(mac.Link+"?code=CODE&state="+attempt.State, attempt.StartedAt)
		errtest.None(t, err)
		var problem *mac.Problem
		if _, err := c.Complete(t.Context(), attempt, answer); !errors.As(err, &problem) || problem.Status != status || stolen {
			t.Errorf("%d: %v, stolen %t", status, err, stolen)
		}
		site.Close()
	}
}

func TestCredentialsAreForOneSiteAndOnePerson(t *testing.T) {
	dir := t.TempDir()
	signIn(t, clientIn(t, &fakeSite{}, dir))
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		info, statErr := os.Stat(path)
		if err = errors.Join(err, statErr); err == nil && info.Mode().Perm()&0o077 != 0 && path != dir {
			t.Errorf("%s: %v", entry.Name(), info.Mode())
		}
		return err
	})
	errtest.None(t, err)

	store, err := mac.OpenStore(dir)
	errtest.None(t, err)
	elsewhere, err := mac.ParseSite("https://elsewhere.test")
	errtest.None(t, err)
	site := &fakeSite{}
	other := mac.New(mac.Options{Site: elsewhere, Store: store, Transport: site})
	for name, use := range map[string]func(context.Context) error{
		"refresh": other.Refresh, "sign out": other.SignOut, "sign out everywhere": other.SignOutEverywhere,
	} {
		if err := use(t.Context()); err == nil || !strings.Contains(err.Error(), "signed in at "+origin) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(site.requests) != 0 {
		t.Errorf("%d requests with another site's tokens", len(site.requests))
	}

	credentials := filepath.Join(dir, "credentials.json")
	errtest.None(t, os.Chmod(credentials, 0o644))
	if _, err := clientIn(t, site, dir).Credentials(); err == nil || !strings.Contains(err.Error(), "read by others") {
		t.Errorf("a file that others can read: %v", err)
	}
	errtest.None(t, errors.Join(os.WriteFile(credentials, []byte("{"), 0o600), os.Chmod(credentials, 0o600)))
	if _, err := clientIn(t, site, dir).Credentials(); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("half a file: %v", err)
	}
}

func TestSecretsDoNotPrintThemselves(t *testing.T) {
	site := &fakeSite{}
	c := client(t, site)
	attempt := c.Begin("google", mac.Link)
	answer, err := attempt.Read(mac.Link+"?code=CODE&state="+attempt.State, attempt.StartedAt)
	errtest.None(t, err)
	if _, err := c.Complete(t.Context(), attempt, answer); err != nil {
		t.Fatal(err)
	}
	kept, err := c.Credentials()
	errtest.None(t, err)
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+verb+verb+"\n", attempt, answer, kept)
	}
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "token", kept.AccessToken, "verifier", attempt.Verifier)
	for _, secret := range []mac.Secret{attempt.Verifier, "CODE", kept.AccessToken, kept.RefreshToken} {
		for _, form := range []string{string(secret), fmt.Sprintf("%x", string(secret))} {
			if strings.Contains(out.String(), form) {
				t.Errorf("%s is in\n%s", form, out.String())
			}
		}
	}
}
