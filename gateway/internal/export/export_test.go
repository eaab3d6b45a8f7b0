package export_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"slices"
	"testing"

	"fledge.dev/gateway/internal/apitest"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	exportv1 "fledge.dev/proto/gen/go/fledge/export/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

const path = "/api/auth/export"

func part(file string, rows ...string) *exportv1.Part {
	return &exportv1.Part{File: file, About: "About " + file + ".", Rows: rows}
}

func TestExport(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	g.Identity.Export = []*exportv1.Part{part("account", `{"id":1}`), part("emails", `{"to":"a"}`)}
	g.Billing.Export = []*exportv1.Part{part("credit-history", `{"n":1}`), part("credit-history", `{"n":2}`)}
	g.Support.Export = []*exportv1.Part{part("emails", `{"to":"b"}`)}
	g.Waitlist.Export = []*exportv1.Part{part("waitlist")}
	g.Releases.Export = []*exportv1.Part{part("update-channel", `{"channel":"beta"}`)}
	a := g.Get(path, apitest.Bearer(token))
	if a.Status != http.StatusOK || a.Header.Get("Content-Type") != "application/zip" || a.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d, %v: %s", a.Status, a.Header, a.Body)
	}
	r, err := zip.NewReader(bytes.NewReader(a.Body), int64(len(a.Body)))
	errtest.None(t, err)
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
	}
	want := []string{"README.txt", "account.json", "account.csv", "emails.json", "emails.csv", "waitlist.json", "credit-history.json", "credit-history.csv", "update-channel.json", "update-channel.csv"}
	if !slices.Equal(names, want) {
		t.Errorf("files %q", names)
	}
	for name, content := range map[string]string{
		"emails.csv": "\ufeffto\r\na\r\nb\r\n", "credit-history.csv": "\ufeffn\r\n1\r\n2\r\n", "waitlist.json": "[]\n",
	} {
		f, err := r.Open(name)
		errtest.None(t, err)
		if got, err := io.ReadAll(f); err != nil || string(got) != content {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for service, last := range map[string]func() *exportv1.Account{
		"billing": func() *exportv1.Account {
			r, _ := g.Billing.Last()
			return r.(*billingv1.ExportAccountRequest).GetAccount()
		},
		"support": func() *exportv1.Account {
			r, _ := g.Support.Last()
			return r.(*supportv1.ExportAccountRequest).GetAccount()
		},
		"waitlist": func() *exportv1.Account {
			r, _ := g.Waitlist.Last()
			return r.(*waitlistv1.ExportAccountRequest).GetAccount()
		},
		"releases": func() *exportv1.Account {
			r, _ := g.Releases.Last()
			return r.(*releasesv1.ExportAccountRequest).GetAccount()
		},
	} {
		if asked := last(); asked.GetId() != id || !slices.Equal(asked.GetEmails(), []string{"user@example.com"}) {
			t.Errorf("%s was asked about %v", service, asked)
		}
	}
}

// TestNothingIsToldWithoutIdentity: identity refuses before any other service is asked.
func TestNothingIsToldWithoutIdentity(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	g.Get("/api/auth/user", apitest.Bearer(token)).Is(http.StatusOK) // the keys are known from here on
	g.Identity.Fail(fault.New(fault.Forbidden, "fresh_sign_in_required", "Please sign in again first."))
	g.Get(path, apitest.Bearer(token)).Fails(http.StatusForbidden, "fresh_sign_in_required")
	if n := g.Billing.Count() + g.Support.Count() + g.Waitlist.Count() + g.Releases.Count(); n != 0 {
		t.Errorf("%d calls of other services", n)
	}
}

func TestNoExportWithoutOneService(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	for name, calls := range map[string]*apitest.Calls{"billing": &g.Billing.Calls, "support": &g.Support.Calls, "waitlist": &g.Waitlist.Calls, "releases": &g.Releases.Calls} {
		calls.Fail(apitest.ErrAway)
		a := g.Get(path, apitest.Bearer(token)).Fails(http.StatusServiceUnavailable, apitest.ErrAway.Reason)
		if a.Header.Get("Retry-After") == "" || a.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s is away: %v", name, a.Header)
		}
		calls.Fail(nil)
	}
}
