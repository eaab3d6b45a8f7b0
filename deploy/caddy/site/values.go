// Package site turns the exported site, which is the same for everybody, into that of one
// installation: it fills in the installation's values, computes each page's
// Content-Security-Policy, and compresses what it wrote.
package site

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// placeholder is the domain that all placeholders of the export share.
const placeholder = "site.invalid"

// Values are what the pages say about the installation.
type Values struct {
	// Origin is scheme://host[:port], without a slash at its end.
	Origin string
	// Support, Sales and Privacy are email addresses.
	Support, Sales, Privacy string
	// Name is the product's.
	Name string
}

// FromEnvironment reads the values from FLEDGE_SITE_ORIGIN, FLEDGE_SUPPORT_EMAIL,
// FLEDGE_SALES_EMAIL, FLEDGE_PRIVACY_EMAIL and FLEDGE_PRODUCT_NAME (default Fledge).
func FromEnvironment() Values {
	return Values{
		Origin:  os.Getenv("FLEDGE_SITE_ORIGIN"),
		Support: os.Getenv("FLEDGE_SUPPORT_EMAIL"),
		Sales:   os.Getenv("FLEDGE_SALES_EMAIL"),
		Privacy: os.Getenv("FLEDGE_PRIVACY_EMAIL"),
		Name:    cmp.Or(os.Getenv("FLEDGE_PRODUCT_NAME"), "Fledge"),
	}
}

// Values stand in HTML, attributes, JSON, XML and scripts, so that none may hold a
// character that means something in one of these.
var (
	anOrigin = regexp.MustCompile(`^https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$`)
	anEmail  = regexp.MustCompile(`^[A-Za-z0-9._+-]{1,64}@([A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9-]{2,63}$`)
	aName    = regexp.MustCompile(`^[\p{L}\p{N}]([\p{L}\p{M}\p{N} .-]{0,48}[\p{L}\p{M}\p{N}.])?$`)
)

// Check says what is missing or cannot stand in a page.
func (v Values) Check() error {
	for _, value := range []struct {
		key, text, want string
		form            *regexp.Regexp
	}{
		{"FLEDGE_SITE_ORIGIN", v.Origin, "scheme://host or scheme://host:port in small letters, without a slash at its end", anOrigin},
		{"FLEDGE_SUPPORT_EMAIL", v.Support, "an email address", anEmail},
		{"FLEDGE_SALES_EMAIL", v.Sales, "an email address", anEmail},
		{"FLEDGE_PRIVACY_EMAIL", v.Privacy, "an email address", anEmail},
		{"FLEDGE_PRODUCT_NAME", v.Name, "at most 50 letters, digits, spaces, dots and hyphens", aName},
	} {
		if value.text == "" {
			return fmt.Errorf("%s is missing: it must be %s", value.key, value.want)
		}
		if !value.form.MatchString(value.text) || strings.Contains(value.text, placeholder) {
			return fmt.Errorf("%s is %q: it must be %s", value.key, value.text, value.want)
		}
	}
	return nil
}

// filler replaces the placeholders by the values.
func (v Values) filler() *strings.Replacer {
	return strings.NewReplacer(
		"https://origin."+placeholder, v.Origin,
		"support@"+placeholder, v.Support,
		"sales@"+placeholder, v.Sales,
		"privacy@"+placeholder, v.Privacy,
		"Name."+placeholder, v.Name,
	)
}
