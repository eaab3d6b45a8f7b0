package identity_test

import (
	"net/http"
	"testing"
	"time"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

// TestWhoMayChangeASecondFactor: the flows themselves are met in deploy/test/product/signin.
func TestWhoMayChangeASecondFactor(t *testing.T) {
	changes := map[string]string{
		"begin-second-factor": "{}", "create-recovery-codes": "{}", "remove-second-factor": "{}",
	}
	codes := map[string]string{
		"confirm-second-factor": `{"flow":"` + apitest.FlowID + `","code":"123456"}`, "verify-second-factor": `{"code":"123456"}`,
	}
	cookie := apitest.Cookie("fledge_session=s1")
	for name, tc := range map[string]struct {
		factor *identityv1.GetSecondFactorResponse
		wants  map[string]string
	}{
		"no staff":            {&identityv1.GetSecondFactorResponse{Fresh: true, Verified: true}, map[string]string{"begin-second-factor": "forbidden", "create-recovery-codes": "forbidden", "remove-second-factor": "forbidden", "confirm-second-factor": "forbidden", "verify-second-factor": "forbidden"}},
		"an old sign-in":      {&identityv1.GetSecondFactorResponse{Staff: true, Verified: true}, map[string]string{"begin-second-factor": "fresh_sign_in_required", "create-recovery-codes": "fresh_sign_in_required", "remove-second-factor": "fresh_sign_in_required"}},
		"without the code":    {&identityv1.GetSecondFactorResponse{Staff: true, Fresh: true}, map[string]string{"create-recovery-codes": "second_factor_required", "remove-second-factor": "second_factor_required"}},
		"both is asked first": {&identityv1.GetSecondFactorResponse{Staff: true}, map[string]string{"create-recovery-codes": "fresh_sign_in_required"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := signedIn(t)
			g.Identity.SecondFactor = tc.factor
			for what, code := range tc.wants {
				body, ok := changes[what]
				if !ok {
					body = codes[what]
				}
				g.Post("/api/auth/"+what, body, apitest.FromOurPage, cookie).Fails(http.StatusForbidden, code)
				g.Post("/api/auth/"+what, body, apitest.FromOurPage).Fails(http.StatusUnauthorized, "no_session")
				g.Post("/api/auth/"+what, body, cookie, apitest.Header("Origin", "https://evil.example")).Fails(http.StatusForbidden, "foreign_site")
			}
			if requests, _ := g.Kratos.Seen(); len(requests) > 0 {
				t.Errorf("a refused request reached Kratos: %s", requests[0].URL)
			}
		})
	}
}

func TestASecondFactorIsDescribed(t *testing.T) {
	g := signedIn(t)
	g.Identity.SecondFactor = &identityv1.GetSecondFactorResponse{Staff: true, Required: true}
	read := func() apitest.Answer {
		return g.Get("/api/auth/second-factor", apitest.FromOurPage, apitest.Cookie("fledge_session=s1"))
	}
	read().Is(http.StatusOK, `{"enrolled":false,"recovery_codes":false,"required":true,"verified":false}`)
	g.Kratos.Nodes = []string{"totp_unlink", "lookup_secret_reveal"}
	read().Is(http.StatusOK, `{"enrolled":true,"recovery_codes":true,"required":true,"verified":false}`)
	for _, body := range []string{`{"code":""}`, `{}`, `{"code":"123456789012345678901234567890123"}`} {
		g.Post("/api/auth/verify-second-factor", body, apitest.FromOurPage, apitest.Cookie("fledge_session=s1")).Fails(http.StatusBadRequest, "invalid_code")
	}
}

// TestACodeIsCountedBeforeKratosSeesIt, as Kratos knows it, and not where it is needed no more.
func TestACodeIsCountedBeforeKratosSeesIt(t *testing.T) {
	g := signedIn(t)
	verify := func() apitest.Answer {
		return g.Post("/api/auth/verify-second-factor", `{"code":"ABCD 1234"}`, apitest.FromOurPage, apitest.Cookie("fledge_session=s1"))
	}
	g.Identity.SecondFactor = &identityv1.GetSecondFactorResponse{Staff: true}
	g.Identity.CodeRefused = fault.New(fault.RateLimited, "too_many_codes", "Slow down.").RetryAfter(5 * time.Minute)
	refused := verify()
	refused.Fails(http.StatusTooManyRequests, "too_many_codes")
	if got := refused.Header.Get("Retry-After"); got != "300" {
		t.Errorf("to be tried again after %q", got)
	}
	if asked, by := g.Identity.Last(); asked.(*identityv1.AdmitSecondFactorCodeRequest).GetCode() != "abcd1234" || by.UserID == "" {
		t.Errorf("%v was counted for %v", asked, by)
	}
	if requests, _ := g.Kratos.Seen(); len(requests) > 0 {
		t.Errorf("a refused code reached Kratos: %s", requests[0].URL)
	}
	g.Identity.SecondFactor = &identityv1.GetSecondFactorResponse{Staff: true, Verified: true}
	if got := verify(); got.Status != http.StatusNoContent {
		t.Errorf("once verified: %d %s", got.Status, got.Body)
	}
}

// signedIn has a session whose token identity believes.
func signedIn(t *testing.T) *apitest.Gateway {
	t.Helper()
	g := apitest.Ready(t)
	_, g.Identity.Session.AccessToken = g.Issuer.User("zoe@example.com")
	return g
}

// TestACodeThatKratosWouldNotSeeIsNotCounted: its owner types it again, and it is good.
func TestACodeThatKratosWouldNotSeeIsNotCounted(t *testing.T) {
	g := signedIn(t)
	g.Identity.SecondFactor = &identityv1.GetSecondFactorResponse{Staff: true}
	g.Kratos.Close()
	verify := func() {
		g.Post("/api/auth/verify-second-factor", `{"code":"123456"}`, apitest.FromOurPage, apitest.Cookie("fledge_session=s1")).Fails(http.StatusServiceUnavailable, "sign_in_unavailable")
	}
	for range 6 {
		verify()
	}
	before, _ := g.Identity.Last()
	verify()
	if asked, _ := g.Identity.Last(); asked == before {
		t.Error("nothing was asked of identity")
	} else if _, counted := asked.(*identityv1.AdmitSecondFactorCodeRequest); counted {
		t.Error("a code was counted that Kratos did not see")
	}
}
