package mac

import (
	"errors"
	"time"
)

// User is who is signed in.
type User struct {
	ID          string `json:"id"`
	Email       string `json:"email"`
	AppMetadata struct {
		Provider string `json:"provider"`
	} `json:"app_metadata"`
}

// Device is a browser or a Mac on which the person is signed in.
type Device struct {
	ID           string    `json:"id"`
	Kind         string    `json:"kind"` // "browser" or "mac"
	Name         string    `json:"name"`
	UserAgent    string    `json:"user_agent"`
	LastActiveAt time.Time `json:"last_active_at"`
	Current      bool      `json:"current"`
}

// Session is the site's answer to either grant.
type Session struct {
	AccessToken  Secret `json:"access_token"`
	RefreshToken Secret `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"` // seconds
	TokenType    string `json:"token_type"`
	User         User   `json:"user"`
}

// Credentials are what the app keeps.
type Credentials struct {
	// Site is the origin that they are for; they are sent to no other.
	Site         string `json:"site"`
	AccessToken  Secret `json:"access_token"`
	RefreshToken Secret `json:"refresh_token"`
	// ExpiresAt is by this Mac's clock, counted from the answer's expires_in: the
	// site's own clock may differ.
	ExpiresAt time.Time `json:"expires_at"`
	User      User      `json:"user"`
}

func (s Session) credentials(site Site, now time.Time) Credentials {
	return Credentials{
		Site: site.origin, AccessToken: s.AccessToken, RefreshToken: s.RefreshToken,
		ExpiresAt: now.Add(time.Duration(s.ExpiresIn) * time.Second).Round(0), User: s.User,
	}
}

// fresh tells whether the access token is good for longer than margin.
func (c Credentials) fresh(now time.Time, margin time.Duration) bool {
	return c.ExpiresAt.Sub(now) > margin
}

var errAnswer = errors.New("the site's answer is not a session")

func (s Session) check() error {
	if s.AccessToken == "" || s.RefreshToken == "" || s.ExpiresIn <= 0 || s.TokenType != "bearer" {
		return errAnswer
	}
	return nil
}
