package waitlist_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/gateway/internal/wire"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/errtest"
)

const (
	dayIsFirst   = "day_first"
	monthIsFirst = "month_first"
)

func previewOf(g *apitest.Gateway, admin, query, body string) (p wire.ImportPreview) {
	g.T.Helper()
	a := g.Do(http.MethodPost, apitest.PreviewPath+query, append(csvBody(body), apitest.Bearer(admin))...).Is(http.StatusOK)
	if err := json.Unmarshal(a.Body, &p); err != nil {
		g.T.Fatal(err)
	}
	return p
}

// sent is the last request to the service.
func sent(g *apitest.Gateway) *waitlistv1.ImportUsersRequest {
	g.T.Helper()
	last, _ := g.Waitlist.Last()
	req, ok := last.(*waitlistv1.ImportUsersRequest)
	if !ok {
		g.T.Fatalf("the service was asked %T", last)
	}
	return req
}

// TestAnImportKeepsTheRecordsOfOurExports, and takes no such column of another tool's file for one.
func TestAnImportKeepsTheRecordsOfOurExports(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	const titles = "email,status,source,created_at,consent,consented_at,confirmed_at,left_at,Suppressed,suppressed_at\n"
	previewOf(g, admin, "", titles+"a@b.co,pending,import,2026-11-21T09:30:00Z,2026-11,t1,t2,t3,bounced,t4\nb@b.co\n")
	want := &waitlistv1.Record{Consent: "2026-11", ConsentedAt: "t1", ConfirmedAt: "t2", LeftAt: "t3", Suppressed: "bounced", SuppressedAt: "t4"}
	if lines := sent(g).GetLines(); !proto.Equal(lines[0].GetRecord(), want) || lines[1].GetRecord() != nil {
		t.Errorf("sent %v", lines)
	}
	previewOf(g, admin, "", strings.Replace(titles, "\n", ",invitation_expired_at\n", 1)+"a@b.co,,,,,,,,,,t5\n")
	if got := sent(g).GetLines()[0].GetRecord(); !proto.Equal(got, &waitlistv1.Record{InvitationExpiredAt: "t5"}) {
		t.Errorf("sent %v", got)
	}
	previewOf(g, admin, "", "email,consent\na@b.co,yes\n")
	if line := sent(g).GetLines()[0]; line.GetRecord() != nil {
		t.Errorf("sent %v", line)
	}
	// A refused line tells what stood there.
	p := previewOf(g, admin, "", titles+"nobody,,,,2026-11,t1,,,hidden,\nb@b.co\n")
	if r := p.Report.Lines[0].Record; r == nil || !maps.Equal(*r, map[string]string{"consent": "2026-11", "consented_at": "t1", "suppressed": "hidden"}) {
		t.Errorf("reported %v", p.Report.Lines)
	}
}

func TestAPreviewTellsHowAFileIsRead(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for name, tt := range map[string]struct {
		query, body string
		// want are the numbers of the columns and whether the day is first, line what is sent of the first line.
		want, line string
	}{
		"our own export":     {"", "email,status,source,created_at\na@b.co,approved,cta_section,2026-11-21T09:30:00.123456Z\n", "1 4 2 3 false", "a@b.co 2026-11-21T09:30:00.123456Z approved cta_section"},
		"Google Forms":       {"", "Timestamp,Email Address\n2026/11/20 9:30:05 PM GMT+1,a@b.co\n", "2 1 0 0 false", "a@b.co 2026/11/20 9:30:05 PM GMT+1  "},
		"an address alone":   {"", "a@b.co\n", "1 0 0 0 false", "a@b.co   "},
		"a birthday":         {"", "Email,Birthday\na@b.co,1990-01-02\n", "1 0 0 0 false", "a@b.co   "},
		"a birth in 2014":    {"", "Email,Geboren\na@b.co,2014-01-02\n", "1 0 0 0 false", "a@b.co   "},
		"an unknown title":   {"", "Email,Eingegangen\na@b.co,20.11.26 21:30\n", "1 2 0 0 false", "a@b.co 20.11.26 21:30  "},
		"no titles":          {"", "a@b.co,2026-11-20 09:30\nb@b.co,2026-11-21 10:15\n", "1 2 0 0 false", "a@b.co 2026-11-20 09:30  "},
		"days, not times":    {"", "Email,Last login\na@b.co,2026-11-20\n", "1 0 0 0 false", "a@b.co   "},
		"days beside times":  {"", "Email,Tag,Eingang\na@b.co,2026-11-20,2026-11-21 10:15\n", "1 3 0 0 false", "a@b.co 2026-11-21 10:15  "},
		"Unix times":         {"", "Email,created_at\na@b.co,1763628300\n", "1 2 0 0 false", "a@b.co 1763628300  "},
		"a sheet's days":     {"", "Email,created_at\na@b.co,45981.4\n", "1 2 0 0 false", "a@b.co 45981.4  "},
		"amounts":            {"", "Email,Spent\na@b.co,45981.40\n", "1 0 0 0 false", "a@b.co   "},
		"versions":           {"", "Email,App\na@b.co,1.2.20\nb@b.co,2.1.06\n", "1 0 0 0 false", "a@b.co   "},
		"short days":         {"", "Email,Joined\na@b.co,20.11.26\n", "1 2 0 0 false", "a@b.co 20.11.26  "},
		"two columns of it":  {"", "Email,Eingang,Ausgang\na@b.co,2026-11-20 9:30,2026-11-21 9:30\n", "1 0 0 0 false", "a@b.co   "},
		"none is wanted":     {"?joined=0", "Email,Eingang\na@b.co,2026-11-20 9:30\n", "1 0 0 0 false", "a@b.co   "},
		"one to come":        {"", "Email,Expires\na@b.co,2999-11-20 9:30\n", "1 0 0 0 false", "a@b.co   "},
		"Microsoft Forms":    {"", "ID,Start time,Completion time,Email\n1,11/20/26 21:30:05,11/20/26 21:31:05,a@b.co\n", "4 3 0 0 false", "a@b.co 11/20/26 21:31:05  "},
		"another status":     {"", "Email,Status,Source\na@b.co,Subscribed,Facebook\nb@b.co,unsubscribed,x\n", "1 0 2 0 false", "a@b.co  pending "},
		"all but one gone":   {"", "Email,Status\na@b.co,Unsubscribed\nb@b.co,cleaned\nc@b.co,active\n", "1 0 2 0 false", "a@b.co  unsubscribed "},
		"no status of ours":  {"", "Email,Status\na@b.co,paid\n", "1 0 0 0 false", "a@b.co   "},
		"an invited person":  {"", "email,status,invited at\na@b.co,INVITED,\nb@b.co,waiting,\n", "1 0 2 0 false", "a@b.co  approved "},
		"of Notion":          {"", "Email,Created time\na@b.co,\"November 20, 2026 9:30 PM\"\n", "1 2 0 0 false", "a@b.co November 20, 2026 9:30 PM  "},
		"of Beehiiv":         {"", "email,status,created_at,utm_source\na@b.co,active,2026-11-20 09:30:00 UTC,x\nb@b.co,inactive,2026-11-20 09:30:00 UTC,x\n", "1 3 2 0 false", "a@b.co 2026-11-20 09:30:00 UTC pending "},
		"of Substack":        {"", "Email,Name,Start date,Subscription source (free)\na@b.co,Ann,2026-01-02T03:04:05.678Z,import\n", "1 3 0 0 false", "a@b.co 2026-01-02T03:04:05.678Z  "},
		"of Brevo":           {"", "CONTACT ID;EMAIL;ADDED_TIME;MODIFIED_TIME\n1;a@b.co;2026-11-20 09:30:00;2026-11-21 09:30:00\n", "2 3 0 0 false", "a@b.co 2026-11-20 09:30:00  "},
		"of Airtable":        {"", "Name,E-Mail,Created\nAnn,a@b.co,1/2/2026 3:04am\n", "2 3 0 0 false", "a@b.co 1/2/2026 3:04am  "},
		"the day is first":   {"", "email;joined\na@b.co;3/4/2026\nb@b.co;25/4/2026\n", "1 2 0 0 true", "a@b.co 3/4/2026  "},
		"a corrected file":   {"?email=2&joined=3&status=0&dates=day_first", "email,Invited by,When,status\na@b.co,c@d.co,3/4/2026,pending\n", "2 3 0 0 true", "c@d.co 3/4/2026  "},
		"what browsers show": {"", "email,created at\na@b.co,\"11/20/2026, 9:30:05 PM\"\n", "1 2 0 0 false", "a@b.co 11/20/2026, 9:30:05 PM  "},
		"of PostgreSQL":      {"", "email,created_at\na@b.co,2026-11-20 09:30:00+00\n", "1 2 0 0 false", "a@b.co 2026-11-20 09:30:00+00  "},
		"in words":           {"", "email,created_at\na@b.co,2026-11-20 or so\n", "1 0 0 0 false", "a@b.co   "},
		"dates both ways":    {"", "email,joined\na@b.co,25/4/2026\nb@b.co,4/25/2026\n", "1 2 0 0 false", "a@b.co 25/4/2026  "},
		"formulas of texts":  {"", "=\"Email\",=\"Status\",=\"created_at\"\n=\"a@b.co\",=\"active\",=\"2026-11-20 09:30\"\n", "1 3 2 0 false", "a@b.co 2026-11-20 09:30 pending "},
		"cells that are bad": {"", "email,joined,status,source\na@b.co,2026-02-30,paused,Facebook\nb@b.co,2026-02-28,pending,import\n", "1 2 3 4 false", "a@b.co 2026-02-30 paused Facebook"},
		"mostly other words": {"", "email,joined,status\na@b.co,n/a,new\nb@b.co,soon,gone\nc@b.co,2026-02-28,pending\n", "1 0 0 0 false", "a@b.co   "},
		"addresses to come":  {"?email=2", "email,Invited by\na@b.co,\nb@b.co,\n", "2 0 0 0 false", "   "},
		"a column too many":  {"?source=9", "email\na@b.co\n", "1 0 0 9 false", "a@b.co   "},
	} {
		t.Run(name, func(t *testing.T) {
			sub := *g
			sub.T = t
			p := previewOf(&sub, admin, tt.query, tt.body)
			if got := fmt.Sprint(p.Email, p.Joined, p.Status, p.Source, p.DayFirst); got != tt.want {
				t.Errorf("columns %s, want %s", got, tt.want)
			}
			req := sent(&sub)
			line := req.GetLines()[0]
			if got := fmt.Sprint(line.GetEmail(), " ", line.GetJoined(), " ", line.GetStatus(), " ", line.GetSource()); got != tt.line || !req.GetDryRun() || req.GetDayFirst() != p.DayFirst {
				t.Errorf("sent %q, want %q in %v", got, tt.line, req)
			}
		})
	}
}

// TestWhomAnotherToolDoesNotWriteToIsRefused by the columns of that tool: the first of the two lines stays.
func TestWhomAnotherToolDoesNotWriteToIsRefused(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for name, tt := range map[string]struct{ titles, stays, left, want string }{
		"Substack":            {"email,active_subscription,expiry,email_disabled,created_at", "a@b.co,false,,false,2026-11-01T09:30:00Z", "b@b.co,false,,true,2026-11-01T09:30:00Z", " unsubscribed"},
		"Substack's page":     {"Email,Name,Start date,Paid upgrade date,Email disabled", "a@b.co,A,2026-11-01T09:30:00Z,2026-11-02T09:30:00Z,No", "b@b.co,B,2026-11-01T09:30:00Z,,Yes", " unsubscribed"},
		"Beehiiv":             {"Email,Status,Subscribed At", "a@b.co,active,2026-11-01 09:30:00 UTC", "b@b.co,inactive,2026-11-01 09:30:00 UTC", "pending unsubscribed"},
		"Mailchimp":           {"Email Address,OPTIN_TIME,LAST_CHANGED,UNSUB_TIME,UNSUB_REASON", "a@b.co,2026-11-01 09:30:00,,,", "b@b.co,2026-11-01 09:30:00,,2026-11-02 09:30:00,NORMAL (Unsubscribed by user)", " unsubscribed"},
		"Mailchimp, cleaned":  {"Email Address,OPTIN_TIME,CLEAN_TIME", "a@b.co,2026-11-01 09:30:00,", "b@b.co,2026-11-01 09:30:00,2026-11-02 09:30:00", " unsubscribed"},
		"Kit":                 {"email,first_name,status,created_at", "a@b.co,A,active,2026-11-01T09:30:00Z", "b@b.co,B,cancelled,2026-11-01T09:30:00Z", "pending unsubscribed"},
		"Ghost":               {"id,email,subscribed_to_emails,created_at,deleted_at", "1,a@b.co,true,2026-11-01T09:30:00.000Z,", "2,b@b.co,false,2026-11-01T09:30:00.000Z,", " unsubscribed"},
		"Resend":              {"id,email,unsubscribed,created_at", "1,a@b.co,false,2026-11-01 09:30:00+00", "2,b@b.co,true,2026-11-01 09:30:00+00", " unsubscribed"},
		"Loops":               {"email,subscribed,createdAt", "a@b.co,true,2026-11-01T09:30:00Z", "b@b.co,false,2026-11-01T09:30:00Z", " unsubscribed"},
		"HubSpot":             {"Email,Create Date,Last Activity Date,Unsubscribed from all email", "a@b.co,2026-11-01 09:30,2026-11-02 09:30,", "b@b.co,2026-11-01 09:30,2026-11-02 09:30,Yes", " unsubscribed"},
		"HubSpot, of a kind":  {"Email,Create Date,Opted out of email: Marketing Information", "a@b.co,2026-11-01 09:30,", "b@b.co,2026-11-01 09:30,true", " unsubscribed"},
		"Constant Contact":    {"Email address,Email status,Email permission status,Confirmed Opt-Out Date,Created At", "a@b.co,Active,Express,,2026-11-01 09:30:00", "b@b.co,Active,Express,2026-11-02 09:30:00,2026-11-01 09:30:00", "pending unsubscribed"},
		"Pipedrive":           {"Person - Email,Marketing status,Person created", "a@b.co,no_consent,2026-11-01 09:30:00", "b@b.co,no_consent,2026-11-01 09:30:00", "unsubscribed unsubscribed"},
		"Salesforce, leads":   {"Email,Created Date,Do Not Contact", "a@b.co,2026-11-01 09:30,0", "b@b.co,2026-11-01 09:30,1", " unsubscribed"},
		"Salesforce":          {"Email,CreatedDate,HasOptedOutOfEmail", "a@b.co,2026-11-01T09:30:00Z,0", "b@b.co,2026-11-01T09:30:00Z,1", " unsubscribed"},
		"Buttondown":          {"email,creation_date,subscriber_type,unsubscription_date", "a@b.co,2026-11-01T09:30:00Z,regular,", "b@b.co,2026-11-01T09:30:00Z,unactivated,", "pending unsubscribed"},
		"Buttondown, back":    {"email,creation_date,subscriber_type", "a@b.co,2026-11-01T09:30:00Z,premium", "b@b.co,2026-11-01T09:30:00Z,spammy", "pending unsubscribed"},
		"Buttondown, trials":  {"email,creation_date,subscriber_type", "a@b.co,2026-11-01T09:30:00Z,trialed", "b@b.co,2026-11-01T09:30:00Z,undeliverable", "pending unsubscribed"},
		"listmonk":            {"uuid,email,status,created_at,updated_at", "x,a@b.co,enabled,2026-11-01T09:30:00Z,2026-11-02T09:30:00Z", "y,b@b.co,blocklisted,2026-11-01T09:30:00Z,2026-11-02T09:30:00Z", "pending unsubscribed"},
		"Klaviyo":             {"Email,Email Marketing Consent,Profile Created On,Last Open", "a@b.co,SUBSCRIBED,2026-11-01 09:30:00,2026-11-02 09:30:00", "b@b.co,UNSUBSCRIBED,2026-11-01 09:30:00,", "pending unsubscribed"},
		"Shopify":             {"First Name,Email,Accepts Email Marketing,Created At", "A,a@b.co,yes,2026-11-01T09:30:00Z", "B,b@b.co,no,2026-11-01T09:30:00Z", " unsubscribed"},
		"Squarespace":         {"Email,Name,Accepts Marketing,Created On", "a@b.co,A,TRUE,2026-11-01T09:30:00Z", "b@b.co,B,FALSE,2026-11-01T09:30:00Z", " unsubscribed"},
		"Wix":                 {"Email,Email subscriber status,Created At", "a@b.co,Subscribed,2026-11-01T09:30:00Z", "b@b.co,Never subscribed,2026-11-01T09:30:00Z", "pending unsubscribed"},
		"a form's question":   {"Email,Newsletter opt-in,OPTIN_TIME", "a@b.co,Yes,2026-11-01 09:30:00", "b@b.co,No,2026-11-01 09:30:00", " unsubscribed"},
		"a form's consent":    {"Email,Marketing consent,created_at", "a@b.co,yes,2026-11-01 09:30:00", "b@b.co,Not subscribed,2026-11-01 09:30:00", " unsubscribed"},
		"words of its own":    {"Email,Status,created_at", "a@b.co,Lead,2026-11-01T09:30:00Z", "b@b.co,Unsubscribed,2026-11-01T09:30:00Z\nc@b.co,Customer,2026-11-01T09:30:00Z", " unsubscribed"},
		"how many came back":  {"Email,Bounced,created_at,Unsubscribed At", "a@b.co,3,2026-11-01T09:30:00Z,never", "b@b.co,0,2026-11-01T09:30:00Z,2026-11-02", " unsubscribed"},
		"LaunchList":          {"Email,Name,Referrals,Position,Verified,Joined", "a@b.co,A,3,1,Yes,2026-11-01 09:30:00", "b@b.co,B,0,2,No,2026-11-01 09:30:00", " "},
		"Tally":               {"Submission ID,Respondent ID,Submitted at,Your email", "s1,r1,2026-11-01 09:30:00,a@b.co", "s2,r2,2026-11-01 09:30:00,b@b.co", " "},
		"Clerk, signed up":    {"id,email_address,status,created_at", "1,a@b.co,rejected,2026-11-01T09:30:00Z", "2,b@b.co,completed,2026-11-01T09:30:00Z", "rejected approved"},
		"Clerk":               {"id,email_address,status,created_at,updated_at", "1,a@b.co,pending,2026-11-01T09:30:00Z,2026-11-02T09:30:00Z", "2,b@b.co,invited,2026-11-01T09:30:00Z,2026-11-02T09:30:00Z", "pending approved"},
		"Ghost, in German":    {"id,email,subscribed_to_emails,created_at", "1,a@b.co,WAHR,2026-11-01T09:30:00Z", "2,b@b.co,FALSCH,2026-11-01T09:30:00Z", " unsubscribed"},
		"Ghost, in Polish":    {"id,email,subscribed_to_emails,created_at", "1,a@b.co,PRAWDA,2026-11-01T09:30:00Z", "2,b@b.co,FAŁSZ,2026-11-01T09:30:00Z", " unsubscribed"},
		"Ghost, in Turkish":   {"id,email,subscribed_to_emails,created_at", "1,a@b.co,DOĞRU,2026-11-01T09:30:00Z", "2,b@b.co,YANLIŞ,2026-11-01T09:30:00Z", " unsubscribed"},
		"Resend, in French":   {"id,email,unsubscribed,created_at", "1,a@b.co,FAUX,2026-11-01T09:30:00Z", "2,b@b.co,VRAI,2026-11-01T09:30:00Z", " unsubscribed"},
		"Resend, in Spanish":  {"id,email,unsubscribed,created_at", "1,a@b.co,FALSO,2026-11-01T09:30:00Z", "2,b@b.co,VERDADERO,2026-11-01T09:30:00Z", " unsubscribed"},
		"a German status":     {"Email,Status,created_at", "a@b.co,aktiv,2026-11-01T09:30:00Z", "b@b.co,abgemeldet,2026-11-01T09:30:00Z", "pending unsubscribed"},
		"a French status":     {"Email,Statut,created_at", "a@b.co,abonné,2026-11-01T09:30:00Z", "b@b.co,désabonné,2026-11-01T09:30:00Z", "pending unsubscribed"},
		"words beside others": {"Email,Estado,created_at", "a@b.co,Cliente,2026-11-01T09:30:00Z", "b@b.co,Inactivo,2026-11-01T09:30:00Z\nc@b.co,Contacto,2026-11-01T09:30:00Z", " unsubscribed"},
		"an Italian status":   {"Email,Stato,created_at", "a@b.co,Iscritto,2026-11-01T09:30:00Z", "b@b.co,Disiscritto,2026-11-01T09:30:00Z", "pending unsubscribed"},
		"a MySQL table":       {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,0000-00-00 00:00:00", "b@b.co,2026-11-01 09:30:00,2026-11-02 09:30:00", " unsubscribed"},
		"MySQL's days":        {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,0000-00-00", "b@b.co,2026-11-01 09:30:00,2026-11-02", " unsubscribed"},
		"MySQL's INTO":        {"email,created_at,unsubscribed_at", `a@b.co,2026-11-01 09:30:00,\N`, "b@b.co,2026-11-01 09:30:00,2026-11-02 09:30:00", " unsubscribed"},
		"a PostgreSQL COPY":   {"email\tcreated_at\tunsubscribed_at", "a@b.co\t2026-11-01 09:30:00+00\t\\N", "b@b.co\t2026-11-01 09:30:00+00\t2026-11-02 09:30:00+00", " unsubscribed"},
		"DBeaver":             {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,[NULL]", "b@b.co,2026-11-01 09:30:00,2026-11-02 09:30:00", " unsubscribed"},
		"DataGrip":            {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,<null>", "b@b.co,2026-11-01 09:30:00,2026-11-02 09:30:00", " unsubscribed"},
		"pgAdmin":             {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,(null)", "b@b.co,2026-11-01 09:30:00,2026-11-02 09:30:00", " unsubscribed"},
		"pandas":              {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,NaT", "b@b.co,2026-11-01 09:30:00,2026-11-02 09:30:00", " unsubscribed"},
		"pandas, numbers":     {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,nan", "b@b.co,2026-11-01 09:30:00,1793612345.0", " unsubscribed"},
		"a script":            {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,undefined", "b@b.co,2026-11-01 09:30:00,2026-11-02 09:30:00", " unsubscribed"},
		"a sheet's dash":      {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,—", "b@b.co,2026-11-01 09:30:00,2026-11-02 09:30:00", " unsubscribed"},
		"a sheet's error":     {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,#N/A", "b@b.co,2026-11-01 09:30:00,2026-11-02 09:30:00", " unsubscribed"},
		"no time of .NET":     {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,1/1/0001 12:00:00 AM", "b@b.co,2026-11-01 09:30:00,11/2/2026 9:30:00 AM", " unsubscribed"},
		"no time of Unix":     {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,1970-01-01 00:00:00", "b@b.co,2026-11-01 09:30:00,2026-11-02 09:30:00", " unsubscribed"},
		"no time of Go":       {"email,created_at,unsubscribed_at", "a@b.co,2026-11-01 09:30:00,0001-01-01T00:00:00Z", "b@b.co,2026-11-01 09:30:00,2026-11-02T09:30:00Z", " unsubscribed"},
		"an address's health": {"Email,Clean,State,created_at", "a@b.co,true,CA,2026-11-01T09:30:00Z", "b@b.co,true,NY,2026-11-01T09:30:00Z", " "},
	} {
		previewOf(g, admin, "", tt.titles+"\n"+tt.stays+"\n"+tt.left+"\n")
		lines := sent(g).GetLines()
		if got := lines[0].GetStatus() + " " + lines[1].GetStatus(); got != tt.want || !strings.HasPrefix(lines[0].GetJoined(), "2026-11-01") {
			t.Errorf("%s: %q, want %q, joined %q", name, got, tt.want, lines[0].GetJoined())
		}
	}
}

// TestAnImportTellsHowItReadsDates, by all of them, and whether that is a guess.
func TestAnImportTellsHowItReadsDates(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for _, tt := range []struct {
		query, dates, order string
		unclear             bool
	}{
		{"", "3/4/2026", monthIsFirst, true},
		{"?dates=day_first", "3/4/2026", dayIsFirst, false},
		{"?dates=month_first", "3/4/2026", monthIsFirst, false},
		{"", "3-4-2026 09:30", monthIsFirst, true},
		{"", "3/4/2026" + strings.Repeat("\nx@b.co,3/4/2026", 300) + "\ny@b.co,25/4/2026", dayIsFirst, false},
		{"", "Sat 4/25/2026", monthIsFirst, false},
		{"", "mar.\u00a03/11/2026\ny@b.co,mer. 25/11/2026", dayIsFirst, false},
		{"", "25/4/2026\nb@b.co,4/25/2026", monthIsFirst, false},
		{"", "2026-04-03", "", false},
		{"", "3.4.2026", "", false},
		{"?joined=0", "3/4/2026", "", false},
	} {
		a := g.Do(http.MethodPost, apitest.ImportPath+tt.query, append(csvBody("email,joined\na@b.co,"+tt.dates+"\n"), apitest.Bearer(admin))...).Is(http.StatusOK)
		var report wire.ImportReport
		errtest.None(t, json.Unmarshal(a.Body, &report))
		order := wire.ImportReportDates("")
		if report.Dates != nil {
			order = *report.Dates
		}
		if string(order) != tt.order || (report.DatesUnclear != nil) != tt.unclear || sent(g).GetDayFirst() != (tt.order == dayIsFirst) {
			t.Errorf("%.20q%s: %q, unclear %t, want %q, %t", tt.dates, tt.query, order, report.DatesUnclear != nil, tt.order, tt.unclear)
		}
	}
}

// TestAPreviewKnowsAnAddressAgain that stands further up, in another part or in another spelling.
func TestAPreviewKnowsAnAddressAgain(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	file := "a@b.co\n" + strings.Repeat("known@b.co\n", 4999) + "A@b.co\nc@b.co\nknown@b.co\n"
	if report := previewOf(g, admin, "", file).Report; report.Added != 2 || report.Known != 5001 || report.Invalid != 0 {
		t.Errorf("%+v", report)
	}
}

func TestAPreviewShowsTheFirstLinesAndCountsAll(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	p := previewOf(g, admin, "", "name;email\nAda;ada@b.co\nBob;nobody\n;known@b.co\n;d@b.co\n;e@b.co\n;f@b.co\n")
	if p.Report.Added != 4 || p.Report.Known != 1 || p.Report.Invalid != 1 || len(p.Rows) != 5 || len(p.Report.Lines) != 1 {
		t.Errorf("%+v", p)
	}
	if fmt.Sprint(p.Columns) != "[{false Ada name} {false ada@b.co email}]" {
		t.Errorf("columns %v", p.Columns)
	}
	if first, second := p.Rows[0], p.Rows[1]; first.Line != 2 || first.Status == nil || *first.Status != "pending" || first.JoinedAt == nil || second.Error == nil || second.Status != nil {
		t.Errorf("rows %+v", p.Rows)
	}
}

// TestAPreviewNamesTheColumnsOfTimes, of which a person can choose one.
func TestAPreviewNamesTheColumnsOfTimes(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	p := previewOf(g, admin, "", "email,in,out,version,phone\na@b.co,2026-11-20,20 Nov 2026,1.2.20,1701234567\n")
	for i, want := range []bool{false, true, true, false, false} {
		if p.Columns[i].IsTime != want {
			t.Errorf("column %+v", p.Columns[i])
		}
	}
}

// TestTheOrderOfAFileIsThatOfItsDates, which tells who of those with the same date waited longer.
func TestTheOrderOfAFileIsThatOfItsDates(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for body, want := range map[string]bool{
		"email,joined\na@b.co,2026-11-19\nb@b.co,2026-11-19\nc@b.co,2026-11-20\n":   true,
		"email,joined\na@b.co,2026-11-20\nb@b.co,2026-11-19\nc@b.co,2026-11-19\n":   false,
		"email,joined\na@b.co,2026-11-20\nb@b.co,2026-11-20\n":                      false,
		"email,joined\na@b.co,soon\nb@b.co,1/2/2026\nc@b.co,25/2/2026\nd@b.co,\n":   true,
		"email,joined\n" + strings.Repeat("a@b.co,\n", 150) + "b@b.co,2026-11-20\n": false,
		"email\na@b.co\nb@b.co\n": false,
	} {
		previewOf(g, admin, "", body)
		if got := sent(g).GetOldestFirst(); got != want {
			t.Errorf("%q is oldest first: %t", body, got)
		}
	}
}

// TestFilesOfOtherProgramsArePreviewed: when their people joined is found in those that tell.
func TestFilesOfOtherProgramsArePreviewed(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	joined := map[string]string{"mailchimp-audience.csv": "2026-11-01 09:30:00", "typeform-responses.csv": "2026-11-01 09:30:00", "google-forms.csv": "2026/11/20 9:30:05 AM GMT+1"}
	files, err := filepath.Glob("../csvfile/testdata/files/*")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		errtest.None(t, err)
		if p := previewOf(g, admin, "", string(raw)); p.Report.Added != 2 {
			t.Errorf("%s: %+v", file, p)
		}
		if want, ok := joined[filepath.Base(file)]; ok && sent(g).GetLines()[0].GetJoined() != want {
			t.Errorf("%s: joined %q", file, sent(g).GetLines()[0].GetJoined())
		}
	}
}

// TestAPartOfAFileKeepsTheOrderOfTheWhole, whatever its own dates are, and the numbers of its lines there.
func TestAPartOfAFileKeepsTheOrderOfTheWhole(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	const rising = "email,joined\na@b.co,2026-11-20\nnobody,2026-11-21\n"
	if p := previewOf(g, admin, "", rising); !p.OldestFirst {
		t.Error("the preview does not tell that dates rise")
	}
	g.Do(http.MethodPost, apitest.ImportPath+"?order=newest_first&offset=24999", append(csvBody(rising), apitest.Bearer(admin))...).Is(http.StatusOK)
	if req := sent(g); req.GetOldestFirst() || req.GetLines()[0].GetLine() != 25001 {
		t.Errorf("sent %v", req)
	}
	if p := previewOf(g, admin, "?order=oldest_first", "email,joined\na@b.co,2026-11-21\nb@b.co,2026-11-20\n"); !p.OldestFirst || !sent(g).GetOldestFirst() {
		t.Error("what the request says does not count")
	}
}

func TestAnImportRefusesColumnsThatCannotBe(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for query, code := range map[string]string{
		"email=0": "invalid_email", "email=x": "invalid_email", "joined=-1": "invalid_joined", "source=70000": "invalid_source", "dates=us": "invalid_dates", "order=up": "invalid_order", "offset=-1": "invalid_offset", "offset=16777216": "invalid_offset", "name=1": "unknown_parameter",
	} {
		for _, path := range []string{apitest.PreviewPath, apitest.ImportPath} {
			g.Do(http.MethodPost, path+"?"+query, append(csvBody("email\na@b.co\n"), apitest.Bearer(admin))...).Fails(http.StatusBadRequest, code)
		}
	}
	if g.Waitlist.Count() != 0 {
		t.Error("a refused request reached the service")
	}
}
