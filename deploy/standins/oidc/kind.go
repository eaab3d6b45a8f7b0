package oidc

import "strconv"

// kind holds the differences between the providers.
type kind struct {
	name, label            string
	clientID, clientSecret string
	// knows verifies the client's secret, if it is not clientSecret.
	knows func(secret string) bool
	// formPost: the response is a form that the browser posts to the callback.
	formPost bool
	// revokes: the provider gives refresh tokens and takes them back, see revocation.
	revokes bool
	// cancelled is the OAuth error code for a person who declines.
	cancelled string
	subject   func(email string) string
	claims    func(c choice) map[string]any
}

func (k *kind) takes(secret string) bool {
	if k.knows != nil {
		return k.knows(secret)
	}
	return secret == k.clientSecret
}

var google = &kind{
	name: "google", label: "Google",
	clientID: GoogleClientID, clientSecret: GoogleClientSecret,
	cancelled: "access_denied",
	subject:   googleSubject,
	claims: func(c choice) map[string]any {
		return map[string]any{"email": c.email, "email_verified": c.verified, "name": displayName(c.email)}
	},
}

// Sign in with Apple REST API, "Authenticate users": booleans come as strings,
// the name never comes as a claim.
var apple = &kind{
	name: "apple", label: "Apple",
	clientID: AppleClientID, clientSecret: AppleClientSecret,
	formPost:  true,
	revokes:   true,
	cancelled: "user_cancelled_authorize",
	subject:   appleSubject,
	claims: func(c choice) map[string]any {
		return map[string]any{"email": c.email, "email_verified": strconv.FormatBool(c.verified)}
	},
}
