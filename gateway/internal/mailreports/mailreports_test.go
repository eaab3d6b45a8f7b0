package mailreports_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/mailreports"
	"fledge.dev/gateway/internal/route"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/errtest"
)

const (
	postmarkPath = "/api/mail-webhook/postmark"
	password     = "0123456789abcdef0123456789abcdef"
)

func TestMain(m *testing.M) { os.Exit(m.Run()) }

func file(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".json")
	errtest.None(t, err)
	return string(raw)
}

// told is what the services have heard since the last look, each of them the same.
func told(t *testing.T, g *apitest.Gateway) string {
	t.Helper()
	g.Mail.Mu.Lock()
	defer g.Mail.Mu.Unlock()
	heard := map[string]int{}
	for _, r := range g.Mail.Requests {
		var events []string
		for _, e := range r.(*mailv1.ReportRequest).GetEvents() {
			events = append(events, fmt.Sprint(e.GetAddress(), " ", enum.Name(e.GetKind()), " (", e.GetReason(), ") ", e.GetAt().AsTime().Format(time.DateTime)))
		}
		heard[strings.Join(events, ", ")]++
	}
	g.Mail.Requests = nil
	for events, services := range heard {
		if services != 4 || len(heard) != 1 {
			t.Errorf("the services heard %v", heard)
		}
		return events
	}
	return ""
}

func withPostmark(c *api.Config) { c.MailReports = mailreports.Config{PostmarkPassword: password} }

func basic(user, password string) apitest.Option {
	return func(r *http.Request) { r.SetBasicAuth(user, password) }
}

func TestPostmarkReports(t *testing.T) {
	g := apitest.Start(t, withPostmark)
	for name, want := range map[string]string{
		"hard-bounce":  "gone@example.com bounced (550 5.1.1) 2026-11-20 10:15:30",
		"soft-bounce":  "",
		"complaint":    "cross@example.com complained (SpamComplaint) 2026-11-20 11:00:00",
		"unsubscribed": "away@example.com unsubscribed (ManualSuppression) 2026-11-20 12:00:00",
		"reactivated":  "away@example.com restored () 2026-11-20 13:00:00",
		"delivery":     "",
		"suppressed":   "gone@example.com bounced (SMTPApiError) 2026-11-20 14:00:00",
	} {
		g.Post(postmarkPath, file(t, "postmark-"+name), basic("postmark", password)).Is(http.StatusOK, `{"received":true}`)
		if got := told(t, g); got != want {
			t.Errorf("%s: the services heard %q, want %q", name, got, want)
		}
	}
	// A suppression that follows a bounce or a complaint was reported as that.
	for _, why := range []string{"HardBounce", "SpamComplaint"} {
		again := strings.Replace(file(t, "postmark-unsubscribed"), "ManualSuppression", why, 1)
		g.Post(postmarkPath, again, basic("postmark", password)).Is(http.StatusOK, `{"received":true}`)
		if got := told(t, g); got != "" {
			t.Errorf("after a %s the services heard %q", why, got)
		}
	}
	// What it accepts of no sender is no fault of the recipient.
	ours := strings.Replace(file(t, "postmark-suppressed"), "You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: gone@example.com.", "The 'From' address you supplied is not a Sender Signature on your account.", 1)
	g.Post(postmarkPath, ours, basic("postmark", password)).Is(http.StatusOK, `{"received":true}`)
	if got := told(t, g); got != "" {
		t.Errorf("of an email that Postmark takes from nobody the services heard %q", got)
	}
	// Of Postmark's other types nothing follows, and of "Unsubscribe", a mail to its address for that, what it says.
	for kind, want := range map[string]string{
		"Blocked": "", "DMARCPolicy": "", "AutoResponder": "", "AddressChange": "", "ManuallyDeactivated": "", "TemplateRenderingFailed": "", "InboundError": "", "Subscribe": "", "ItsNextOne": "",
		"BadEmailAddress": "gone@example.com bounced (550 5.1.1) 2026-11-20 10:15:30", "Unsubscribe": "gone@example.com unsubscribed (550 5.1.1) 2026-11-20 10:15:30",
	} {
		g.Post(postmarkPath, strings.Replace(file(t, "postmark-hard-bounce"), `"HardBounce"`, `"`+kind+`"`, 1), basic("postmark", password)).Is(http.StatusOK, `{"received":true}`)
		if got := told(t, g); got != want {
			t.Errorf("of type %s the services heard %q, want %q", kind, got, want)
		}
	}
	for _, record := range []string{"Open", "Click", "Inbound", "Delivery", "SMTPApiError", ""} {
		g.Post(postmarkPath, strings.Replace(file(t, "postmark-hard-bounce"), `"Bounce"`, `"`+record+`"`, 1), basic("postmark", password)).Is(http.StatusOK, `{"received":true}`)
		if got := told(t, g); got != "" {
			t.Errorf("of a record %q the services heard %q", record, got)
		}
	}
	for name, o := range map[string]apitest.Option{
		"nobody": func(*http.Request) {}, "another user": basic("hacker", password), "another password": basic("postmark", password[1:]),
		"none": basic("postmark", ""), "a bearer": apitest.Bearer(password),
	} {
		if a := g.Post(postmarkPath, file(t, "postmark-complaint"), o); a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	// With the email itself, which Postmark sends along where it is asked to.
	long := strings.Replace(file(t, "postmark-complaint"), "{", `{"Content":"`+strings.Repeat("x", 900<<10)+`",`, 1)
	g.Post(postmarkPath, long, basic("postmark", password)).Is(http.StatusOK, `{"received":true}`)
	if got := told(t, g); !strings.HasPrefix(got, "cross@example.com complained") {
		t.Errorf("of a long report the services heard %q", got)
	}
	g.Post(postmarkPath, "[]", basic("postmark", password)).Fails(http.StatusBadRequest, "invalid_payload")
	if got := told(t, g); got != "" {
		t.Errorf("a refused report is heard: %s", got)
	}
}

func TestASignedReportOfAnyProvider(t *testing.T) {
	g := apitest.Start(t)
	const report = `{"events":[
		{"id":"1","email":"gone@example.com","kind":"bounced","reason":"550 5.1.1 <gone@example.com> unknown","at":"2026-11-20T10:15:30Z"},
		{"id":"2","email":"full@example.com","kind":"deferred","at":"2026-11-20T10:15:30Z"},
		{"id":"3","email":"cross@example.com","kind":"complained","reason":null,"at":"2999-11-20T10:15:30Z"}]}`
	now := time.Now()
	g.Stop()
	g.Post(apitest.MailReportPath, report, apitest.SignedReport(now, report)).Is(http.StatusOK, `{"received":true}`)
	// A time that is yet to come would outlive what lifts the report.
	want := "gone@example.com bounced (550 5.1.1) 2026-11-20 10:15:30, cross@example.com complained () " + now.UTC().Format(time.DateTime)
	if got := told(t, g); got != want {
		t.Errorf("the services heard %q, want %q", got, want)
	}
	for name, o := range map[string]apitest.Option{
		"none":              func(*http.Request) {},
		"of another body":   apitest.SignedReport(now, report+" "),
		"of ten minutes on": apitest.SignedReport(now.Add(10*time.Minute), report),
		"of an hour ago":    apitest.SignedReport(now.Add(-time.Hour), report),
		"without a time":    apitest.Header("Fledge-Signature", "v1=00"),
		"nonsense":          apitest.Header("Fledge-Signature", "t=1,v1=zz"),
	} {
		if a := g.Post(apitest.MailReportPath, report, o); a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	for _, bad := range []string{"", "{}x", `{"events":[{"id":"1","email":"a@b.co","kind":"bounced","at":"2026-11-20T10:15:30Z","more":1}]}`} {
		if a := g.Post(apitest.MailReportPath, bad, apitest.SignedReport(now, bad)); a.Status != http.StatusBadRequest {
			t.Errorf("%q: %d", bad, a.Status)
		}
	}
	big := strings.Repeat(" ", route.MaxEvent+1)
	g.Post(apitest.MailReportPath, big, apitest.SignedReport(now, big)).Fails(http.StatusRequestEntityTooLarge, "body_too_large")
	if got := told(t, g); got != "" {
		t.Errorf("a refused report is heard: %s", got)
	}
}

// TestAReportIsNotTakenWhileAServiceIsAway: the provider comes back with it.
func TestAReportIsNotTakenWhileAServiceIsAway(t *testing.T) {
	g := apitest.Start(t, withPostmark)
	g.Mail.Fail(apitest.ErrAway)
	g.Post(postmarkPath, file(t, "postmark-hard-bounce"), basic("postmark", password)).Fails(http.StatusServiceUnavailable, "database_unavailable")
}

func TestReportsAreOffUnlessConfigured(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) { c.MailReports = mailreports.Config{} })
	for _, provider := range []string{"ses", "postmark", "generic", "sendgrid"} {
		g.Post("/api/mail-webhook/"+provider, "{}").Fails(http.StatusNotFound, "no_webhook")
	}
}

func TestReportsHaveARateOfTheirOwn(t *testing.T) {
	g := apitest.Start(t, withPostmark, func(c *api.Config) { c.Rates[route.MailReport] = limits.Rate{PerMinute: 0.001, Burst: 2} })
	for range 2 {
		g.Post(postmarkPath, file(t, "postmark-delivery"), basic("postmark", password)).Is(http.StatusOK)
	}
	g.Post(postmarkPath, file(t, "postmark-delivery"), basic("postmark", password)).Fails(http.StatusTooManyRequests, "rate_limited")
	g.Get("/api/get-latest-downloads").Is(http.StatusOK)
}

func TestConfigRefuses(t *testing.T) {
	for name, c := range map[string]mailreports.Config{
		"a queue":          {SESTopics: []string{"arn:aws:sqs:eu-central-1:123456789012:q"}},
		"another host":     {SESTopics: []string{"arn:aws:sns:evil.example/:123456789012:q"}},
		"a short password": {PostmarkPassword: "short"},
		"a short secret":   {GenericSecrets: password + ",short"},
	} {
		if c.Validate() == nil {
			t.Errorf("%s is taken", name)
		}
	}
	good := mailreports.Config{SESTopics: []string{"arn:aws-cn:sns:cn-north-1:123456789012:bounces"}, PostmarkPassword: password, GenericSecrets: password + "," + password}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
}
