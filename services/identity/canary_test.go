package identity_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

// secrets are the forms in which a secret would show itself.
type secrets map[string]string

func (s secrets) add(name, secret string) {
	s[name] = secret
	s[name+" in hex"] = hex.EncodeToString([]byte(secret))
	s[name+" in base64"] = strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "=")
	if raw, err := base64.RawURLEncoding.DecodeString(secret); err == nil {
		s[name+" decoded, in hex"] = hex.EncodeToString(raw)
	}
}

// session adds both tokens; of an access token the signature stands for the whole.
func (s secrets) session(name string, session *identityv1.Session) {
	s.add(name+"'s access token", session.GetAccessToken())
	s.add(name+"'s signature", session.GetAccessToken()[strings.LastIndex(session.GetAccessToken(), ".")+1:])
	s.add(name+"'s refresh token", session.GetRefreshToken())
	s.add(name+"'s refresh token's body", strings.TrimPrefix(session.GetRefreshToken(), "fledge_rt_"))
}

func TestNoSecretIsStoredOrLogged(t *testing.T) {
	r := newRig(t, "HAND_OFF_TOKENS=true")
	hidden := secrets{}
	cookie := r.kratos.signIn("ann@example.com", true)
	hidden.add("the cookie", strings.TrimSuffix(strings.TrimPrefix(cookie, "theme=dark; fledge_session="), "; csrf_token_x=y"))
	browser := r.session(cookie)
	hidden.session("the browser", browser)

	grant, unused := r.grant(browser), r.grant(browser)
	for name, g := range map[string]*identityv1.ExchangeHandOffCodeRequest{"used": grant, "unused": unused} {
		hidden.add("the "+name+" code", g.GetCode())
		hidden.add("the "+name+" verifier", g.GetCodeVerifier())
	}
	resp, err := r.ExchangeHandOffCode(t.Context(), grant)
	errtest.None(t, err)
	hidden.session("the Mac", resp.GetSession())
	direct, err := r.CreateDeviceSession(r.as(browser), &identityv1.CreateDeviceSessionRequest{})
	errtest.None(t, err)
	hidden.session("the old Mac", direct.GetSession())
	child, err := r.RefreshSession(t.Context(), &identityv1.RefreshSessionRequest{RefreshToken: direct.GetSession().GetRefreshToken()})
	errtest.None(t, err)
	hidden.session("its child", child.GetSession())

	// Everything that is refused, and therefore logged.
	unused.Callback = "fledge://elsewhere"
	for _, g := range []*identityv1.ExchangeHandOffCodeRequest{grant, unused, {Code: grant.GetCode(), CodeVerifier: unused.GetCodeVerifier()}} {
		if _, err := r.ExchangeHandOffCode(t.Context(), g); err == nil {
			t.Error("a misfit was traded")
		}
	}
	for _, refresh := range []string{resp.GetSession().GetRefreshToken(), grant.GetCode(), browser.GetAccessToken(), browser.GetRefreshToken()[:50]} {
		if _, err := r.RefreshSession(t.Context(), &identityv1.RefreshSessionRequest{RefreshToken: refresh}); err == nil {
			t.Error("a misfit was refreshed")
		}
	}
	r.kratos.status.Store(503)
	if _, err := r.SignOut(r.as(browser), &identityv1.SignOutRequest{Cookie: cookie, Everywhere: true}); err == nil {
		t.Error("Kratos is down")
	}

	places := r.dump()
	places["the log"] = r.log.String()
	for _, want := range []string{"session_families", "hand_off_codes", "users", "outbox"} {
		if places[want] == "" {
			t.Errorf("%s was not searched", want)
		}
	}
	if !strings.Contains(places["the log"], "used hand-off code presented") {
		t.Error("the log was not searched")
	}
	for place, text := range places {
		for name, secret := range hidden {
			if strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
				t.Errorf("%s shows %s", place, name)
			}
		}
	}
}

// dump returns every table's rows as text; bytea shows as hex.
func (r *rig) dump() map[string]string {
	r.t.Helper()
	tables := pgtest.All[string](r.t, r.db, `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	dump := map[string]string{}
	for _, table := range tables {
		var text string
		sql := fmt.Sprintf(`SELECT coalesce(string_agg(t::text, E'\n'), '') FROM %s t`, pgx.Identifier{table}.Sanitize())
		errtest.None(r.t, r.db.QueryRow(r.t.Context(), sql).Scan(&text))
		dump[table] = text
	}
	return dump
}
