package traffic

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAPageIsOpenedWithItsScripts: one that does not arrive is a failure that a person sees.
func TestAPageIsOpenedWithItsScripts(t *testing.T) {
	const page = `<link rel="stylesheet" href="/_next/static/chunks/a.css"><script src="/_next/static/chunks/a.js"></script>` +
		`<script src="/_next/static/chunks/gone.js"></script><script src="/_next/static/chunks/a.js"></script><a href="/blog"></a>`
	asked := map[string]int{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		switch {
		case r.URL.Path == "/profile":
			_, _ = io.WriteString(w, page)
		case strings.HasSuffix(r.URL.Path, "gone.js"):
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	s := &sender{opts: Options{Site: site.URL, Transport: http.DefaultTransport}, ledger: newLedger()}
	for _, r := range newMix(s.opts).deck {
		if r.page == "/profile" {
			s.do(t.Context(), r)
		}
	}
	report := s.ledger.report()
	if report.Requests != 4 || report.Failed != 1 || report.ByName["script"] != 1 || !strings.Contains(report.Examples[0], "/_next/static/chunks/gone.js") {
		t.Errorf("%+v", report)
	}
	if asked["/_next/static/chunks/a.js"] != 1 || asked["/_next/static/chunks/a.css"] != 1 || asked["/blog"] != 0 {
		t.Errorf("%v", asked)
	}
}
