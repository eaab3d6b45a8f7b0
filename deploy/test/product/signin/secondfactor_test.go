package signin

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// appCode is what an authenticator app shows (RFC 6238).
func appCode(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	errtest.None(t, err)
	mac := hmac.New(sha1.New, key)
	errtest.None(t, binary.Write(mac, binary.BigEndian, at.Unix()/30))
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[offset:])&0x7fffffff%1e6)
}

type factor struct {
	Required, Enrolled, Verified bool
	RecoveryCodes                bool `json:"recovery_codes"`
}

func (b *browser) factor() (f factor) {
	b.t.Helper()
	b.decode(b.api(http.MethodGet, "/api/auth/second-factor", ""), http.StatusOK, &f)
	return f
}

// factorPost expects a status, and of a refusal the code.
func (b *browser) factorPost(what, body string, status int, code string) {
	b.t.Helper()
	if p := b.api(http.MethodPost, "/api/auth/"+what, body); p.status != status || code != "" && !strings.Contains(p.body, `"code":"`+code+`"`) {
		b.t.Errorf("%s %s: %d %s, want %d %s", what, body, p.status, p.body, status, code)
	}
}

func typed(code string) string { return fmt.Sprintf(`{"code":%q}`, code) }

// secondFactor is added in one browser, verified in another, and removed.
func secondFactor(t *testing.T, w *world) {
	person := w.browser(t)
	person.signIn("google", "nobody-of-staff@example.test")
	person.api(http.MethodGet, "/api/auth/second-factor", "").is(t, http.StatusForbidden, "somebody who is no staff")
	person.factorPost("begin-second-factor", "{}", http.StatusForbidden, "forbidden")
	w.browser(t).factorPost("verify-second-factor", typed("123456"), http.StatusUnauthorized, "no_session")

	b, other := w.browser(t), w.browser(t)
	for _, each := range []*browser{b, other} {
		each.signIn("google", "admin@fledge.test")
		if f := each.factor(); f != (factor{}) {
			t.Fatalf("at first: %+v", f)
		}
	}
	b.factorPost("verify-second-factor", typed("123456"), http.StatusConflict, "no_second_factor")
	b.factorPost("create-recovery-codes", "{}", http.StatusForbidden, "second_factor_required")

	var enrolment struct {
		Flow, Secret, URI string
		QRCode            string `json:"qr_code"`
	}
	b.decode(b.api(http.MethodPost, "/api/auth/begin-second-factor", "{}"), http.StatusOK, &enrolment)
	if enrolment.URI != "otpauth://totp/Fledge:admin@fledge.test?issuer=Fledge&secret="+enrolment.Secret {
		t.Errorf("the app is told %s", enrolment.URI)
	}
	confirm := func(code string) string { return fmt.Sprintf(`{"flow":%q,"code":%q}`, enrolment.Flow, code) }
	// Kratos takes the codes of the 30 seconds before and after, too.
	now := time.Now()
	before, first, after := appCode(t, enrolment.Secret, now.Add(-30*time.Second)), appCode(t, enrolment.Secret, now), appCode(t, enrolment.Secret, now.Add(30*time.Second))
	b.factorPost("confirm-second-factor", confirm(wrong(first)), http.StatusBadRequest, "wrong_code")
	other.factorPost("confirm-second-factor", confirm(before), http.StatusConflict, "sign_in_expired")
	b.factorPost("confirm-second-factor", confirm(first[:3]+" "+first[3:]), http.StatusNoContent, "")
	if f := b.factor(); f != (factor{Enrolled: true, Verified: true}) {
		t.Errorf("once added: %+v", f)
	}
	b.factorPost("begin-second-factor", "{}", http.StatusConflict, "second_factor_enrolled")

	var recovery struct{ Codes []string }
	b.decode(b.api(http.MethodPost, "/api/auth/create-recovery-codes", "{}"), http.StatusOK, &recovery)
	if len(recovery.Codes) != 12 {
		t.Fatalf("recovery codes %q", recovery.Codes)
	}

	// Elsewhere a sign-in alone changes nothing of it.
	if f := other.factor(); f != (factor{Enrolled: true, RecoveryCodes: true}) {
		t.Errorf("elsewhere: %+v", f)
	}
	other.factorPost("remove-second-factor", "{}", http.StatusForbidden, "second_factor_required")
	other.factorPost("create-recovery-codes", "{}", http.StatusForbidden, "second_factor_required")
	other.factorPost("verify-second-factor", typed(wrong(after)), http.StatusBadRequest, "wrong_code")
	other.factorPost("verify-second-factor", typed("0123456789"), http.StatusBadRequest, "wrong_code")
	device := other.session()
	other.factorPost("verify-second-factor", typed(first), http.StatusBadRequest, "code_used")
	other.factorPost("verify-second-factor", typed(after), http.StatusNoContent, "")
	other.factorPost("verify-second-factor", typed(after), http.StatusNoContent, "")
	if f := other.factor(); !f.Verified {
		t.Errorf("after the code: %+v", f)
	}
	if again := other.session(); again.RefreshToken != device.RefreshToken {
		t.Error("the code has opened another session")
	}

	// Without the phone a recovery code is as good, once.
	for _, last := range []bool{false, true} {
		lost := w.browser(t)
		lost.signIn("google", "admin@fledge.test")
		if lost.factor().Verified {
			t.Fatal("a sign-in alone verifies")
		}
		if !last {
			lost.factorPost("verify-second-factor", typed(strings.ToUpper(recovery.Codes[0])), http.StatusNoContent, "")
			continue
		}
		lost.factorPost("verify-second-factor", typed(recovery.Codes[0]), http.StatusBadRequest, "code_used")
		lost.factorPost("verify-second-factor", typed(recovery.Codes[1]), http.StatusNoContent, "")
		guesses(t, w, recovery.Codes[2])
		lost.factorPost("remove-second-factor", "{}", http.StatusNoContent, "")
	}
	waittest.Eventually(t, "it is gone", func() bool { f := b.factor(); return !f.Enrolled && !f.RecoveryCodes })
}

// guesses of an account's codes end after ten within a quarter of an hour, of which the test has
// made nine, from any browser and with the right one, too.
func guesses(t *testing.T, w *world, right string) {
	t.Helper()
	for n, want := range []int{http.StatusBadRequest, http.StatusTooManyRequests, http.StatusTooManyRequests} {
		guesser := w.browser(t)
		guesser.signIn("google", "admin@fledge.test")
		code := right
		if want == http.StatusBadRequest {
			code = fmt.Sprint(900000 + n)
		}
		p := guesser.api(http.MethodPost, "/api/auth/verify-second-factor", typed(code))
		if wait, err := strconv.Atoi(p.header.Get("Retry-After")); p.status != want || want == http.StatusTooManyRequests && (err != nil || wait < 600 || wait > 900) {
			t.Errorf("guess %d: %d %s, to be tried again after %q", n, p.status, p.body, p.header.Get("Retry-After"))
		}
	}
}

// wrong is another code of six digits.
func wrong(code string) string {
	other := []byte(code)
	for i := range other {
		other[i] = '0' + (other[i]-'0'+5)%10
	}
	return string(other)
}
