package returnto

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// maxLink is the longest link of the app.
const maxLink = 256

// Links are the further links of the app that an installation has registered beside AppLink. They
// are given codes only, never tokens.
type Links []string

// NewLinks reads the setting of an installation whose site has this origin: https links that the app has
// claimed, or links of a scheme that is a domain in reverse (RFC 8252, sections 7.1 and 7.2).
func NewLinks(links []string, site *url.URL) (Links, error) {
	for _, link := range links {
		if err := check(link, site); err != nil {
			return nil, fmt.Errorf("%q %w", link, err)
		}
	}
	return links, nil
}

func check(link string, site *url.URL) error {
	u, err := url.Parse(link)
	if err != nil || u.String() != link || len(link) > maxLink || strings.ContainsFunc(link, isForeign) || strings.ContainsAny(link, "?%;") || u.User != nil {
		return errors.New("is not a link without query and fragment, in one spelling")
	}
	switch {
	case u.Scheme == "https":
		if u.Hostname() == "" || u.Host != strings.ToLower(u.Host) || u.Port() == "443" || strings.HasSuffix(u.Host, ":") || strings.HasSuffix(u.Hostname(), ".") || len(u.Path) < 2 {
			return errors.New("is not an https link with a host and a path")
		}
		// Browsers follow links to the host that they are at, whatever app has claimed them.
		if u.Hostname() == site.Hostname() {
			return errors.New("is on the site's own host, where browsers do not open apps")
		}
	case !strings.Contains(u.Scheme, "."):
		return errors.New("has a scheme that is not a domain in reverse, such as com.example.app")
	case u.Path == "" && u.Opaque == "":
		return errors.New("has no path")
	}
	return nil
}
