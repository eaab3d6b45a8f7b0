package waitlist_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// requests is how many of a route's have been counted with a status.
func requests(g *apitest.Gateway, route, status string) (n uint64) {
	g.T.Helper()
	families, err := g.Metrics.Gather()
	if err != nil {
		g.T.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range m.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if family.GetName() == "http_request_duration_seconds" && labels["route"] == route && labels["status"] == status {
				n += m.GetHistogram().GetSampleCount()
			}
		}
	}
	return n
}

func exported(email string) *waitlistv1.WaitlistUser {
	return &waitlistv1.WaitlistUser{
		Id: apitest.AnyID, Email: email, Status: waitlistv1.Status_STATUS_PENDING, Source: waitlistv1.Source_SOURCE_IMPORT,
		CreatedAt: timestamppb.New(time.Date(2026, 11, 21, 9, 30, 0, 123_000, time.UTC)),
	}
}

func TestExportStreamsTheWholeFilteredList(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Waitlist.Chunks = map[string]*waitlistv1.ExportUsersResponse{
		"": {Users: []*waitlistv1.WaitlistUser{exported("=cmd|' /c calc'!a1@example.com"), exported(`o"hara@example.com`)}, NextCursor: "c1", Records: []*waitlistv1.Record{
			{Consent: "2026-11", ConsentedAt: "2026-11-20T00:00:00Z", ConfirmedAt: "c", LeftAt: "l", Suppressed: "bounced", SuppressedAt: "s", InvitationExpiredAt: "e"}, {},
		}},
		"c1": {Users: []*waitlistv1.WaitlistUser{exported("ada@example.com")}},
	}
	a := g.Get("/api/export-waitlist-users?status=pending&search=a%25_", apitest.Bearer(admin)).Is(http.StatusOK)
	want := "\ufeffemail,status,source,created_at,consent,consented_at,confirmed_at,left_at,suppressed,suppressed_at,invitation_expired_at\r\n" +
		"'=cmd|' /c calc'!a1@example.com,pending,import,2026-11-21T09:30:00.000123Z,2026-11,2026-11-20T00:00:00Z,c,l,bounced,s,e\r\n" +
		"\"o\"\"hara@example.com\",pending,import,2026-11-21T09:30:00.000123Z,,,,,,,\r\n" +
		"ada@example.com,pending,import,2026-11-21T09:30:00.000123Z,,,,,,,\r\n"
	if string(a.Body) != want {
		t.Errorf("the file is\n%q, want\n%q", a.Body, want)
	}
	if kind, file := a.Header.Get("Content-Type"), a.Header.Get("Content-Disposition"); kind != "text/csv; charset=utf-8; header=present" || file != `attachment; filename="waitlist.csv"` || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", a.Header)
	}
	last, _ := g.Waitlist.Last()
	if asked := (&waitlistv1.ExportUsersRequest{Status: waitlistv1.Status_STATUS_PENDING, Search: "a%_", Cursor: "c1"}); !proto.Equal(last.(proto.Message), asked) {
		t.Errorf("the service was asked %v, want %v", last, asked)
	}
}

// TestAnExportThatBreaksOffIsNoCompleteFile: before the first row it is a failure
// like any other, after it the connection ends without the end of the file.
func TestAnExportThatBreaksOffIsNoCompleteFile(t *testing.T) {
	g := apitest.Start(t)
	id, admin := g.Issuer.Admin("admin@example.com")
	g.Waitlist.Fail(apitest.ErrAway)
	g.Get("/api/export-waitlist-users", apitest.Bearer(admin)).Fails(http.StatusServiceUnavailable, "database_unavailable")
	g.Waitlist.Fail(nil)
	g.Waitlist.Chunks = map[string]*waitlistv1.ExportUsersResponse{"": {Users: []*waitlistv1.WaitlistUser{exported("ada@example.com")}, NextCursor: "gone"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.URL+"/api/export-waitlist-users", nil)
	errtest.None(t, err)
	req.Header.Set("Authorization", "Bearer "+admin)
	// Whether the first rows are under way when the connection ends is open.
	if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
		defer func() { _ = resp.Body.Close() }()
		if body, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("read %q to the end", body)
		}
	}
	waittest.Seen(t, "the access log tells who got a part of the list", func() (bool, string) {
		for line := range strings.Lines(g.Log.String()) {
			if strings.Contains(line, `"aborted":true`) {
				return strings.Contains(line, `"msg":"request"`) && strings.Contains(line, `"level":"WARN"`) && strings.Contains(line, `"route":"/api/export-waitlist-users"`) &&
					strings.Contains(line, `"user":"`+id+`"`) && strings.Contains(line, `"reason":"database_unavailable"`), line
			}
		}
		return false, g.Log.String()
	})
	if requests(g, "/api/export-waitlist-users", "aborted") == 0 { // of which the transport may make another one
		t.Error("no request is counted as aborted")
	}
	if strings.Contains(g.Log.String(), `"msg":"panic"`) {
		t.Error("a file that breaks off counts as a panic")
	}
}

// TestASlowExportIsGivenUpLikeAnyOtherRequest, though a whole file may take longer.
func TestASlowExportIsGivenUpLikeAnyOtherRequest(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) { c.RequestTimeout = 100 * time.Millisecond })
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Waitlist.Slow.Store(true)
	began := time.Now()
	g.Get("/api/export-waitlist-users", apitest.Bearer(admin)).Is(http.StatusServiceUnavailable)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestExportRefuses(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for query, code := range map[string]string{
		"status=PENDING": "invalid_status", "status=x": "invalid_status", "status=pending&status=approved": "invalid_query",
		"search=%00": "invalid_query", "limit=1": "unknown_parameter", "cursor=x": "unknown_parameter",
	} {
		g.Get("/api/export-waitlist-users?"+query, apitest.Bearer(admin)).Fails(http.StatusBadRequest, code)
	}
	if g.Waitlist.Count() != 0 {
		t.Error("a refused request reached the service")
	}
}

func csvBody(body string) []apitest.Option {
	return []apitest.Option{apitest.Header("Content-Type", "text/csv"), apitest.JSONBody(body)}
}

func TestImportReportsEachLineWithoutAnAddress(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for name, tt := range map[string]struct{ body, want string }{
		"a column by name":   {"name,E-Mail?, EMAIL \nAda,x,ada@b.co\nBob,y,nobody\nCyd,z,known@b.co\n", `{"added":1,"known":1,"invalid":1,"lines":[{"line":3,"email":"nobody","outcome":"invalid","error":"Please enter a valid email address."}]}`},
		"no names":           {"1,ada@b.co\r\n2,bob@b.co\r\n", `{"added":2,"known":0,"invalid":0,"lines":[]}`},
		"a byte order mark":  {"\ufeffemail\r\nada@b.co", `{"added":1,"known":0,"invalid":0,"lines":[]}`},
		"quotes and blanks":  {"email\n\n\"known\"\"b@b.co\"\n\" ada@b.co\"\n", `{"added":1,"known":1,"invalid":0,"lines":[]}`},
		"a line too short":   {"name,email\nAda\n", `{"added":0,"known":0,"invalid":1,"lines":[{"line":2,"email":"","outcome":"invalid","error":"Please enter a valid email address."}]}`},
		"a stray quote":      {"email\nad\"a\nbob@b.co\n", `{"added":1,"known":0,"invalid":1,"lines":[{"line":2,"email":"ad\"a","outcome":"invalid","error":"Please enter a valid email address."}]}`},
		"a quote that opens": {"email\nada@b.co\n\"bob@b.co\ncyd@b.co\n", `{"added":3,"known":0,"invalid":0,"lines":[]}`},
		"a quote over lines": {"email\n\"bob@b.co\ncyd@b.co\",\"x\"y\n", `{"added":2,"known":0,"invalid":0,"lines":[]}`},
		"our own export":     {"\ufeffemail,status\r\n'+tag@b.co,pending\r\n", `{"added":1,"known":0,"invalid":0,"lines":[]}`},
		"Windows-1252":       {"email\nab\xff\n", `{"added":0,"known":0,"invalid":1,"lines":[{"line":2,"email":"abÿ","outcome":"invalid","error":"Please enter a valid email address."}]}`},
		"all its columns":    {"email,joined,status,source\nnobody,2026-11-20,approved,cta_section\n", `{"added":0,"known":0,"invalid":1,"lines":[{"line":2,"email":"nobody","joined":"2026-11-20","status":"approved","source":"cta_section","outcome":"invalid","error":"Please enter a valid email address."}]}`},
		"a very long line":   {"email\n" + strings.Repeat("x", 10_000) + "\n", `{"added":0,"known":0,"invalid":1,"lines":[{"line":2,"email":"` + strings.Repeat("x", 254) + `","outcome":"invalid","error":"Please enter a valid email address."}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			sub := *g
			sub.T = t
			sub.Do(http.MethodPost, apitest.ImportPath, append(csvBody(tt.body), apitest.Bearer(admin))...).Is(http.StatusOK, tt.want)
		})
	}
	last, _ := g.Waitlist.Last()
	if _, ok := last.(*waitlistv1.ImportUsersRequest); !ok {
		t.Errorf("the service was asked %T", last)
	}
}

func TestAnExportedFormulaIsImportedAsItWas(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Do(http.MethodPost, apitest.ImportPath, append(csvBody("email\n'+tag@b.co\n'plain@b.co\n"), apitest.Bearer(admin))...).Is(http.StatusOK)
	last, _ := g.Waitlist.Last()
	if lines := last.(*waitlistv1.ImportUsersRequest).GetLines(); lines[0].GetEmail() != "+tag@b.co" || lines[1].GetEmail() != "'plain@b.co" {
		t.Errorf("read %v", lines)
	}
}

func TestALargeImportComesInParts(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	var file strings.Builder
	for n := range 10_000 {
		fmt.Fprintf(&file, "known%d@example.com\n", n)
	}
	for n := range 2_000 {
		fmt.Fprintf(&file, "nobody%d\n", n)
	}
	a := g.Do(http.MethodPost, apitest.ImportPath, append(csvBody(file.String()), apitest.Bearer(admin))...).Is(http.StatusOK)
	if !strings.HasPrefix(string(a.Body), `{"added":0,"invalid":2000,"known":10000,"lines":[{"email":"nobody0",`) || strings.Count(string(a.Body), `"outcome"`) != 2000 {
		t.Errorf("%.200s", a.Body)
	}
	g.Waitlist.Mu.Lock()
	defer g.Waitlist.Mu.Unlock()
	var sizes []int
	ids := map[string]bool{}
	began := g.Waitlist.Requests[0].(*waitlistv1.ImportUsersRequest).GetBeganAt()
	if time.Since(began.AsTime()) > time.Hour {
		t.Errorf("begun at %v", began)
	}
	for _, r := range g.Waitlist.Requests {
		part := r.(*waitlistv1.ImportUsersRequest)
		sizes, ids[part.GetImportId()] = append(sizes, len(part.GetLines())), true
		if !proto.Equal(part.GetBeganAt(), began) {
			t.Errorf("a part begun at %v, the first at %v", part.GetBeganAt(), began)
		}
	}
	if fmt.Sprint(sizes) != "[5000 5000 2000]" || !ids[a.Header.Get("X-Request-Id")] || len(ids) != 1 {
		t.Errorf("parts of %v named %v", sizes, ids)
	}
}

func TestImportRefusesAFileAsAWhole(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for name, tt := range map[string]struct {
		body, code string
		status     int
	}{
		"nothing":                       {"", "empty_file", 400},
		"names alone":                   {"email\r\n", "empty_file", 400},
		"blank lines":                   {"\n\n\n", "empty_file", 400},
		"a workbook":                    {"PK\x03\x04\x14", "invalid_csv", 400},
		"one line too many":             {strings.Repeat("a@b.co\n", 50_001), "too_many_lines", 400},
		"one byte too many":             {"email\n" + strings.Repeat("x", 10<<20), "body_too_large", 413},
		"many bytes, no length, no end": {strings.Repeat("\"", 10<<20+1), "body_too_large", 413},
	} {
		t.Run(name, func(t *testing.T) {
			sub := *g
			sub.T = t
			options := append(csvBody(tt.body), apitest.Bearer(admin), func(r *http.Request) { r.ContentLength = -1 })
			sub.Do(http.MethodPost, apitest.ImportPath, options...).Fails(tt.status, tt.code)
		})
	}
	for _, kind := range []string{"", "application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/csv; charset=iso-8859-1", "text/csv, text/csv"} {
		options := []apitest.Option{apitest.Bearer(admin), apitest.Header("Content-Type", kind), apitest.JSONBody("email\na@b.co\n"), apitest.Header("Content-Type", kind)}
		g.Do(http.MethodPost, apitest.ImportPath, options...).Fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
	}
	g.Do(http.MethodPost, apitest.ImportPath, append(csvBody("email\na@b.co\n"), apitest.Bearer(admin), apitest.Header("Content-Encoding", "gzip"))...).Is(http.StatusUnsupportedMediaType)
	g.Do(http.MethodPost, apitest.ImportPath+"?x=1", append(csvBody("email\na@b.co\n"), apitest.Bearer(admin))...).Is(http.StatusBadRequest)
	if g.Waitlist.Count() != 0 {
		t.Error("a refused file reached the service")
	}
}

// TestAnImportIsNotAnswered200WhenAPartFails tells what the client may rely on.
func TestAnImportIsNotAnswered200WhenAPartFails(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Waitlist.Fail(apitest.ErrAway)
	g.Do(http.MethodPost, apitest.ImportPath, append(csvBody("email\na@b.co\n"), apitest.Bearer(admin))...).Fails(http.StatusServiceUnavailable, "database_unavailable")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+apitest.ImportPath, strings.NewReader("email\na@b.co\n"))
	errtest.None(t, err)
	if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
		_ = resp.Body.Close()
		t.Error("somebody who left was answered")
	}
}
