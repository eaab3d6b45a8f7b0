package mac_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/mac"
	"fledge.dev/services/platform/errtest"
)

func TestTheChallengeIsThatOfTheRFC(t *testing.T) {
	attempt := mac.Attempt{Site: origin, Provider: "apple", Callback: mac.Link, State: "s", Verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}
	page, err := url.Parse(attempt.Page())
	errtest.None(t, err)
	want := url.Values{
		"provider": {"apple"}, "callback": {mac.Link}, "state": {"s"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"}, // RFC 7636, appendix B
	}
	if page.Query().Encode() != want.Encode() || !strings.HasPrefix(attempt.Page(), origin+"/auth?") {
		t.Errorf("got %s", page)
	}
}

func TestNoTwoAttemptsShareASecret(t *testing.T) {
	c := client(t, &fakeSite{})
	a, b := c.Begin("google", mac.Link), c.Begin("google", mac.Link)
	if a.State == b.State || a.Verifier == b.Verifier || a.State == string(a.Verifier) {
		t.Error("a secret was used twice")
	}
	if len(a.State) != 43 || len(a.Verifier) != 43 {
		t.Errorf("state %d, verifier %d characters", len(a.State), len(a.Verifier))
	}
	if without := c.BeginWithoutCode("google"); without.Verifier != "" || strings.Contains(without.Page(), "challenge") {
		t.Error("a sign-in without a code has a challenge")
	}
}

func TestReadingACallback(t *testing.T) {
	began := time.Now()
	withCode := mac.Attempt{Callback: mac.Link, State: "the-state", Verifier: "v", StartedAt: began}
	withTokens := mac.Attempt{Callback: mac.Link, State: "the-state", StartedAt: began}
	const tokens = "access_token=a&refresh_token=r&expires_in=600&token_type=bearer"
	refused := &mac.Refusal{}
	for name, tc := range map[string]struct {
		attempt mac.Attempt
		link    string
		want    error // nil is success, refused any refusal
	}{
		"a code":                            {withCode, "fledge://auth/callback?code=c&state=the-state", nil},
		"tokens":                            {withTokens, "fledge://auth/callback#" + tokens + "&state=the-state", nil},
		"an error":                          {withCode, "fledge://auth/callback?error=access_denied&state=the-state", refused},
		"an error without a challenge":      {withTokens, "fledge://auth/callback?error=access_denied&state=the-state", refused},
		"an error beside a code":            {withCode, "fledge://auth/callback?error=x&code=c&state=the-state", refused},
		"another state":                     {withCode, "fledge://auth/callback?code=c&state=the-statf", mac.ErrForeignCallback},
		"a part of the state":               {withCode, "fledge://auth/callback?code=c&state=the-stat", mac.ErrForeignCallback},
		"an empty state":                    {withCode, "fledge://auth/callback?code=c&state=", mac.ErrForeignCallback},
		"no state":                          {withCode, "fledge://auth/callback?code=c", mac.ErrForeignCallback},
		"an error without the state":        {withCode, "fledge://auth/callback?error=access_denied", mac.ErrForeignCallback},
		"two states":                        {withCode, "fledge://auth/callback?code=c&state=the-state&state=x", mac.ErrForeignCallback},
		"two codes":                         {withCode, "fledge://auth/callback?code=c&code=d&state=the-state", mac.ErrForeignCallback},
		"the state in the fragment":         {withCode, "fledge://auth/callback?code=c#state=the-state", mac.ErrForeignCallback},
		"tokens where a code was asked for": {withCode, "fledge://auth/callback#" + tokens + "&state=the-state", mac.ErrForeignCallback},
		"tokens in the query":               {withTokens, "fledge://auth/callback?" + tokens + "&state=the-state", mac.ErrForeignCallback},
		"a code where tokens were":          {withTokens, "fledge://auth/callback?code=c&state=the-state", mac.ErrForeignCallback},
		"another path":                      {withCode, "fledge://auth/callback/x?code=c&state=the-state", mac.ErrForeignCallback},
		"a longer path":                     {withCode, "fledge://auth/callbackx?code=c&state=the-state", mac.ErrForeignCallback},
		"another scheme":                    {withCode, "https://auth/callback?code=c&state=the-state", mac.ErrForeignCallback},
		"nothing":                           {withCode, "", mac.ErrForeignCallback},
		"the bare link":                     {withCode, "fledge://auth/callback", mac.ErrForeignCallback},
		"a broken escape":                   {withCode, "fledge://auth/callback?code=%zz&state=the-state", mac.ErrForeignCallback},
		"too long":                          {withCode, "fledge://auth/callback?state=the-state&code=" + strings.Repeat("c", 16<<10), mac.ErrForeignCallback},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tc.attempt.Read(tc.link, began)
			var got *mac.Refusal
			if errors.Is(tc.want, refused) {
				if !errors.As(err, &got) {
					t.Errorf("got %v", err)
				}
			} else if !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

func TestWhatIsIncompleteIsNoAnswer(t *testing.T) {
	withCode := mac.Attempt{Callback: mac.Link, State: "s", Verifier: "v", StartedAt: time.Now()}
	withTokens := mac.Attempt{Callback: mac.Link, State: "s", StartedAt: time.Now()}
	for link, attempt := range map[string]mac.Attempt{
		"fledge://auth/callback?state=s":                                                                             withCode,
		"fledge://auth/callback?state=s&code=":                                                                       withCode,
		"fledge://auth/callback#state=s":                                                                             withTokens,
		"fledge://auth/callback#state=s&access_token=a&refresh_token=r&token_type=bearer":                            withTokens,
		"fledge://auth/callback#state=s&access_token=a&expires_in=600&token_type=bearer":                             withTokens,
		"fledge://auth/callback#state=s&access_token=a&refresh_token=r&expires_in=-1&token_type=bearer":              withTokens,
		"fledge://auth/callback#state=s&access_token=a&refresh_token=r&expires_in=600&token_type=somebody-elses-own": withTokens,
	} {
		if _, err := attempt.Read(link, time.Now()); err == nil || errors.Is(err, mac.ErrForeignCallback) {
			t.Errorf("%s: %v", link, err)
		}
	}
}

func TestASignInThatTookTooLongIsOver(t *testing.T) {
	attempt := mac.Attempt{Callback: mac.Link, State: "s", Verifier: "v", StartedAt: time.Now()}
	const link = "fledge://auth/callback?code=c&state=s"
	if _, err := attempt.Read(link, attempt.StartedAt.Add(mac.AttemptLife)); err != nil {
		t.Errorf("at the last moment: %v", err)
	}
	if _, err := attempt.Read(link, attempt.StartedAt.Add(mac.AttemptLife+time.Second)); !errors.Is(err, mac.ErrAttemptOver) {
		t.Errorf("a second later: %v", err)
	}
}

func TestARefusalIsToldInWords(t *testing.T) {
	attempt := mac.Attempt{Callback: mac.Link, State: "s", Verifier: "v", StartedAt: time.Now()}
	for query, want := range map[string]string{
		"error=access_denied":                                                  "the sign-in was cancelled, or the provider did not confirm it",
		"error=server_error&error_code=account_disabled":                       "this account is disabled: write to support",
		"error=Authentication+failed":                                          "the site says: Authentication failed",
		"error=odd&error_description=Something+new":                            "the site says: Something new (odd)",
		"error=odd&error_description=%1b[31mred%0aError:%20all%20is%20lost%07": "the site says: [31mred Error: all is lost (odd)",
	} {
		_, err := attempt.Read(mac.Link+"?state=s&"+query, time.Now())
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
	_, err := attempt.Read(mac.Link+"?state=s&error="+strings.Repeat("e", 9000), time.Now())
	if err == nil || len(err.Error()) > 600 {
		t.Errorf("a long error: %d characters", len(err.Error()))
	}
}
