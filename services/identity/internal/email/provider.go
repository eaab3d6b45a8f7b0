package email

import (
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/mail"
)

var providers = map[string]string{"google": "Google", "apple": "Apple"}

// ProviderLinked tells the owner of an account that it can be signed in to with one more provider.
func ProviderLinked(provider string, at time.Time) func(u account.User, siteOrigin string) mail.Email {
	return providerChanged("provider_linked", "provider-linked", provider, at)
}

// ProviderRemoved tells the owner of an account that a provider no longer opens it.
func ProviderRemoved(provider string, at time.Time) func(u account.User, siteOrigin string) mail.Email {
	return providerChanged("provider_removed", "provider-removed", provider, at)
}

func providerChanged(template, kind, provider string, at time.Time) func(u account.User, siteOrigin string) mail.Email {
	return func(u account.User, siteOrigin string) mail.Email {
		return mail.Email{
			Template: template, Key: kind + "/" + u.ID.String() + "/" + provider + "/" + at.UTC().Format(time.RFC3339Nano), To: u.Email,
			Values: map[string]string{"Provider": providers[provider], "At": when(at)},
			Action: siteOrigin + "/profile#sign-in-methods",
		}
	}
}
