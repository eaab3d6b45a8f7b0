package prepare

// ShippedHost is the site's name in the form in which the product ships.
const ShippedHost = "fledge.dev"

// Names of others that lead to a stand-in in a network of its own.
const (
	GoogleHost = "accounts.google.com"
	AppleHost  = "appleid.apple.com"
	GitHubHost = "github.com"
	GitHubAPI  = "api.github.com"
	StripeHost = "checkout.stripe.com"
	StripeAPI  = "api.stripe.com"
	MailHost   = "smtp.postmarkapp.com"
)

// PublicHosts are the names that have to lead to 127.0.0.1 for a stack whose site has a name of the internet.
func PublicHosts(site string) []string {
	return []string{site, GoogleHost, AppleHost, GitHubHost, GitHubAPI, StripeHost, StripeAPI, MailHost}
}
