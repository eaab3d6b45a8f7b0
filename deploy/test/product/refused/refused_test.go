package refused

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/gateway"
	"fledge.dev/gateway/contract"
	"fledge.dev/services/platform/errtest"
)

// row is a request that must be answered with 400, this code, and these fields.
type row struct {
	who, method, path, body string
	code                    string
	fields                  []string
}

// product is a running one.
type product struct {
	*testing.T
	site     string
	people   map[string]*person.Person
	contract *contract.Contract
}

func TestTheServiceRefusesAndTheGatewayNamesTheField(t *testing.T) {
	opts := stacktest.Options(t, stack.InProcess)
	opts.Settings = map[string][]string{"gateway": stacktest.NoLimits()}
	stacktest.Patient(&opts)
	s := stacktest.Start(t, opts)
	described, err := contract.Load(gateway.OpenAPI)
	errtest.None(t, err)
	p := product{t, s.URLs().Site, map[string]*person.Person{}, described}
	for who, email := range map[string]string{"nobody": "", "ann": "ann@fledge.test", "admin": stack.AdminEmail} {
		p.people[who] = person.New(p.site)
		if email == "" {
			continue
		}
		errtest.None(t, p.people[who].SignIn(t.Context(), email))
	}
	for area, rows := range areas(p.site, p.people["ann"].ID()) {
		t.Run(area, func(t *testing.T) {
			for _, r := range rows {
				p.T = t
				p.refuses(r)
			}
		})
	}
	t.Run("other forms of the same", func(t *testing.T) {
		p.T = t
		p.takesOtherForms()
	})
	t.Run("forms", func(t *testing.T) {
		p.T = t
		for _, form := range []string{"email=a%40b.co&source=", "email=a%40b.co&source=admin", "email=" + strings.Repeat("x", 10_000) + "&source=hero_section"} {
			if resp, _ := p.send(row{who: "nobody", method: http.MethodPost, path: join, body: form}); resp.Header.Get("Location") != "/join-failed" {
				t.Errorf("%s: %d %v", form, resp.StatusCode, resp.Header)
			}
		}
	})
}

// areas are the rows of all areas, for a site and the account of Ann.
func areas(site, annID string) map[string][]row {
	return map[string][]row{
		"waitlist": waitlistRows(), "support": supportRows(), "billing": billingRows(site, annID), "identity": identityRows(), "releases": releasesRows(),
	}
}

// takesOtherForms: the line ends of a form, and a UUID in upper case, mean the same as others.
func (p product) takesOtherForms() {
	p.Helper()
	const text = `"message":" a\r\nb ","idempotencyKey":"k"`
	resp, raw := p.send(row{who: "ann", method: http.MethodPost, path: "/api/create-support-ticket", body: `{"category":"bug",` + text + `}`})
	var answer struct{ Data struct{ ID, Message string } }
	if err := json.Unmarshal(raw, &answer); err != nil || resp.StatusCode != http.StatusOK || answer.Data.Message != "a\nb" {
		p.Fatalf("%v %d: %s", err, resp.StatusCode, raw)
	}
	reply := row{who: "ann", method: http.MethodPost, path: "/api/reply-support-ticket", body: `{"ticketId":"` + strings.ToUpper(answer.Data.ID) + `",` + text + `}`}
	if resp, raw := p.send(reply); resp.StatusCode != http.StatusOK {
		p.Errorf("%d: %s", resp.StatusCode, raw)
	}
}

func (p product) refuses(r row) {
	p.Helper()
	resp, raw := p.send(r)
	var answer struct {
		Code   string
		Fields map[string]string
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		p.Errorf("%s %.200s: %v: %s", r.path, r.body, err, raw)
	}
	slices.Sort(r.fields)
	if fields := slices.Sorted(maps.Keys(answer.Fields)); resp.StatusCode != http.StatusBadRequest || answer.Code != r.code || !slices.Equal(fields, r.fields) {
		p.Errorf("%s %.200s: %d, want %s %v: %s", r.path, r.body, resp.StatusCode, r.code, r.fields, raw)
	}
	for field, sentence := range answer.Fields {
		for _, name := range renamed {
			if name != field && strings.Contains(sentence, name) {
				p.Errorf("%s %.200s: callers do not know %s: %s", r.path, r.body, name, sentence)
			}
		}
	}
}

// renamed are names that a service has for what callers know by others, and no words of a sentence.
var renamed = []string{"id_or_email", "session_id", "product_id", "price_id", "staging_id", "installed_version", "release_id", "user_id"}

// send sends a request and holds the answer against the description.
func (p product) send(r row) (*http.Response, []byte) {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), r.method, p.site+r.path, strings.NewReader(r.body))
	errtest.None(p, err)
	req.Header.Set("Origin", p.site)
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.body != "" && r.body[0] != '{' {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if r.who != "nobody" {
		p.people[r.who].Authorize(req)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	errtest.None(p, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	errtest.None(p, err)
	if err := p.contract.Check(req, resp, raw); err != nil {
		p.Error(err)
	}
	return resp, raw
}
