package returnto

import (
	"net/url"
	"strings"
)

// CheckoutSession is the placeholder for the checkout's id in the address that Stripe sends
// the browser back to.
const CheckoutSession = "{CHECKOUT_SESSION_ID}"

const profilePath = "/profile"

// maxValue is the maximum length of a parameter of a return from Stripe.
const maxValue = 256

var (
	checkoutParameters = []string{"success", "plan", "tokens", "price", "interval", "pack", "session_id", "canceled"}
	portalParameters   = []string{"portal"}
)

// Checkout reports whether Stripe's checkout may send the browser to address: the
// profile page of exactly this origin ("https://example.com"), with nothing but
// the parameters that the page reads, each at most once.
func Checkout(origin, address string) bool { return isProfile(origin, address, checkoutParameters) }

// Portal is Checkout for the way back from Stripe's billing portal.
func Portal(origin, address string) bool { return isProfile(origin, address, portalParameters) }

func isProfile(origin, address string, names []string) bool {
	rest, ok := strings.CutPrefix(address, origin+profilePath)
	if !ok || origin == "" || len(address) > MaxBytes || strings.ContainsFunc(rest, isForeign) {
		return false
	}
	if rest == "" {
		return true
	}
	rawQuery, ok := strings.CutPrefix(rest, "?")
	if !ok || rawQuery == "" {
		return false
	}
	query, err := url.ParseQuery(rawQuery)
	if err != nil || !onlyHas(query, names...) {
		return false
	}
	for name, values := range query {
		if len(values) > 1 || !isValue(name, values[0]) {
			return false
		}
	}
	return true
}

// isValue accepts printable ASCII without braces, which have a meaning to Stripe; the
// placeholder must stand alone, and where the page expects the id.
func isValue(name, value string) bool {
	if name == "session_id" && value == CheckoutSession {
		return true
	}
	return len(value) <= maxValue && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' || r == '{' || r == '}' })
}
