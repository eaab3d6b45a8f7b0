package route

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/fault"
)

var (
	errForeignSite = fault.New(fault.Forbidden, "foreign_site", "This request did not come from our site.")
	errNullOrigin  = fault.New(fault.Forbidden, "foreign_site", "Your browser sent the header Origin: null, which does not say that this request comes from our site. Open the page in a tab of its own, or allow our site in the privacy setting or extension that hides it.")
)

// Foreign returns the error foreign_site for a request that another site made the browser send. A
// browser that hides where a request comes from says null: the error tells its person what to do.
func Foreign(r *http.Request) *fault.Error {
	if r.Header.Get("Origin") == "null" {
		return errNullOrigin
	}
	return errForeignSite
}

// Site is the site that the gateway serves.
type Site struct {
	// Origin is the site's public origin.
	Origin *url.URL

	protection *http.CrossOriginProtection
}

// NewSite returns the site with this public origin.
func NewSite(origin *url.URL) (*Site, error) {
	s := &Site{Origin: origin, protection: http.NewCrossOriginProtection()}
	if err := s.protection.AddTrustedOrigin(origin.String()); err != nil {
		return nil, fmt.Errorf("route: %w", err)
	}
	return s, nil
}

// Secure reports whether the site is served over HTTPS.
func (s *Site) Secure() bool { return s.Origin.Scheme == "https" }

// Check returns Foreign for a request that another site made the browser send. It
// lets reads pass.
func (s *Site) Check(r *http.Request) error {
	if err := s.protection.Check(r); err != nil {
		return Foreign(r).Wrap(err)
	}
	// The protection compares the host alone, for lack of the site's scheme.
	if origin := r.Header.Get("Origin"); r.Method != http.MethodGet && r.Method != http.MethodHead && origin != "" && origin != s.Origin.String() {
		return Foreign(r)
	}
	return nil
}

// Admit refuses requests that another site made the browser send. Browsers attach cookies to
// reads as well, so that reads are under the same rule, which http.CrossOriginProtection has
// for writes only.
func (s *Site) Admit(c *gin.Context) {
	probe := *c.Request
	probe.Method = http.MethodPost
	if err := s.Check(&probe); err != nil {
		problem.Write(c, err)
	}
}
