package mac

import (
	"crypto/subtle"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// AttemptLife is how long a sign-in may take from the moment it starts.
const AttemptLife = 5 * time.Minute

// Attempt is a sign-in in progress: what the app must remember until the callback, and
// keep secret.
type Attempt struct {
	Site     string `json:"site"`
	Provider string `json:"provider"`
	Callback string `json:"callback"`
	State    string `json:"state"`
	// Verifier proves at the exchange that the code is this app's. Without one
	// the site sends tokens instead of a code, if it allows that at all.
	Verifier  Secret    `json:"verifier,omitempty"`
	StartedAt time.Time `json:"started_at"`
}

// Begin starts a sign-in with "google" or "apple" that comes back to callback,
// which is Link or a Listener's.
func (c *Client) Begin(provider, callback string) Attempt {
	return Attempt{
		Site: c.site.origin, Provider: provider, Callback: callback,
		State: random(), Verifier: Secret(random()), StartedAt: time.Now(),
	}
}

// BeginWithoutCode starts a sign-in as an app does that knows no PKCE. Whoever
// can register the app's scheme on the Mac could take the tokens, so new apps do
// not do this, and an installation may refuse it.
func (c *Client) BeginWithoutCode(provider string) Attempt {
	attempt := c.Begin(provider, Link)
	attempt.Verifier = ""
	return attempt
}

// Page is what to open in the person's browser.
func (a Attempt) Page() string {
	query := url.Values{"provider": {a.Provider}, "callback": {a.Callback}, "state": {a.State}}
	if a.Verifier != "" {
		query.Set("code_challenge", challenge(a.Verifier))
		query.Set("code_challenge_method", "S256")
	}
	return Site{a.Site}.signInPage(query)
}

// Answer is what a good callback brought: a code, or a session. Its fields are
// exported because fmt asks no others to hide themselves.
type Answer struct {
	Code    Secret
	Session Session
}

// Errors of a callback. Errors that the site reports in it are a *Refusal instead.
var (
	// ErrForeignCallback is for a link with another state: somebody else's, an old one,
	// a forged one. The attempt stays open.
	ErrForeignCallback = errors.New("this link does not belong to the sign-in that is waiting")
	// ErrAttemptOver is for a link that came after AttemptLife.
	ErrAttemptOver = errors.New("this sign-in has taken too long: start again")
	errIncomplete  = errors.New("the link brings neither what was asked for nor an error: start again")
)

const maxLink = 16 << 10 // bytes

// Read parses a callback. Nothing in it is trusted before its state has been compared.
func (a Attempt) Read(link string, now time.Time) (Answer, error) {
	rest, ours := strings.CutPrefix(link, a.Callback)
	if !ours || len(link) > maxLink || rest == "" || rest[0] != '?' && rest[0] != '#' {
		return Answer{}, ErrForeignCallback
	}
	rawQuery, rawFragment, _ := strings.Cut(rest, "#")
	query, err := single(strings.TrimPrefix(rawQuery, "?"))
	if err != nil {
		return Answer{}, ErrForeignCallback
	}
	fragment, err := single(rawFragment)
	if err != nil {
		return Answer{}, ErrForeignCallback
	}
	from := query // a code and every error come in the query
	if a.Verifier == "" && query["error"] == "" {
		from = fragment // tokens in the fragment, which no server sees
	}
	if subtle.ConstantTimeCompare([]byte(from["state"]), []byte(a.State)) != 1 {
		return Answer{}, ErrForeignCallback
	}
	switch {
	case now.Sub(a.StartedAt) > AttemptLife:
		return Answer{}, ErrAttemptOver
	case from["error"] != "":
		return Answer{}, newRefusal(from)
	case a.Verifier != "" && from["code"] != "":
		return Answer{Code: Secret(from["code"])}, nil
	case a.Verifier == "" && from["access_token"] != "":
		return a.tokens(from)
	}
	return Answer{}, errIncomplete
}

func (a Attempt) tokens(from map[string]string) (Answer, error) {
	seconds, err := strconv.ParseInt(from["expires_in"], 10, 32)
	s := Session{
		AccessToken: Secret(from["access_token"]), RefreshToken: Secret(from["refresh_token"]),
		ExpiresIn: seconds, TokenType: from["token_type"],
	}
	if err != nil || s.check() != nil {
		return Answer{}, errIncomplete
	}
	return Answer{Session: s}, nil
}

// single reads parameters that each stand there once.
func single(raw string) (map[string]string, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, err
	}
	one := map[string]string{}
	for name, all := range values {
		if len(all) != 1 {
			return nil, ErrForeignCallback
		}
		one[name] = all[0]
	}
	return one, nil
}
