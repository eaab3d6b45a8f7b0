package email

import (
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
)

var providers = map[string]string{"google": "Google", "apple": "Apple"}

// ProviderLinked tells the owner of an account that it can be signed in to with one more provider.
func ProviderLinked(provider string, at time.Time) func(u account.User, siteOrigin string) (mail.Message, error) {
	name := providers[provider]
	return func(u account.User, siteOrigin string) (mail.Message, error) {
		return mail.Email{
			Subject: name + " was added to your " + brand.Name + " account",
			Preview: "You can sign in with " + name + " from now on.",
			Heading: name + " was added to your account",
			Paragraphs: []string{
				"Since " + at.UTC().Format(moment) + " you can sign in to your account with " + name + ", too.",
				"It was you? Then there is nothing to do.",
				"It was not you? On your profile page, remove " + name + " under \"How you sign in\" and sign out everywhere. Then change the passwords of your Google and Apple accounts.",
			},
			Action: &mail.Action{Label: "Open my profile", URL: siteOrigin + "/profile#sign-in-methods"},
			Reason: reason,
		}.Compose(providerKey("provider-linked", u, provider, at), u.Email)
	}
}

// ProviderRemoved tells the owner of an account that a provider no longer opens it.
func ProviderRemoved(provider string, at time.Time) func(u account.User, siteOrigin string) (mail.Message, error) {
	name := providers[provider]
	return func(u account.User, siteOrigin string) (mail.Message, error) {
		return mail.Email{
			Subject: name + " was removed from your " + brand.Name + " account",
			Preview: "It no longer signs you in.",
			Heading: name + " was removed from your account",
			Paragraphs: []string{
				"Since " + at.UTC().Format(moment) + " signing in with " + name + " no longer opens your account. Your other way to sign in stays.",
				"It was you? Then there is nothing to do.",
				"It was not you? Sign in now, add " + name + " again under \"How you sign in\" on your profile page, and sign out everywhere. Then change the passwords of your Google and Apple accounts.",
			},
			Action: &mail.Action{Label: "Open my profile", URL: siteOrigin + "/profile#sign-in-methods"},
			Reason: reason,
		}.Compose(providerKey("provider-removed", u, provider, at), u.Email)
	}
}

func providerKey(kind string, u account.User, provider string, at time.Time) string {
	return kind + "/" + u.ID.String() + "/" + provider + "/" + at.UTC().Format(time.RFC3339Nano)
}
