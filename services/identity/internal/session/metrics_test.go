package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/pgtest"
)

func TestMetricsTellWhatBecameOfCodes(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	browser := r.create(cookie)
	used, late, orphan := newApp(), newApp(), newApp()
	code, lateCode := r.code(browser, used), r.code(browser, late)
	for _, g := range []session.Grant{
		{Code: "x", Verifier: used.verifier, Callback: callback}, {Code: code, Verifier: late.verifier, Callback: callback},
		{Code: code, Verifier: used.verifier, Callback: "x"}, {Code: code, Verifier: used.verifier, Callback: callback},
		// The second use ends the device, the third finds it ended.
		{Code: code, Verifier: used.verifier, Callback: callback}, {Code: code, Verifier: used.verifier, Callback: callback},
	} {
		_, _ = r.ExchangeCode(t.Context(), g, session.Device{})
	}
	r.clock.Advance(time.Minute)
	_, _ = r.exchange(lateCode, late)
	orphanCode := r.code(browser, orphan)
	pgtest.Exec(r.t, r.pool, `UPDATE users SET disabled_at = now()`)
	_, _ = r.exchange(orphanCode, orphan)
	pgtest.Exec(r.t, r.pool, `UPDATE users SET disabled_at = NULL`)
	r.do(r.SignOut(t.Context(), r.caller(browser), cookie))
	_, _ = r.exchange(orphanCode, orphan)
	want := `
		# HELP identity_families_opened_total Session families opened, by kind (browser, mac).
		# TYPE identity_families_opened_total counter
		identity_families_opened_total{kind="browser"} 1
		identity_families_opened_total{kind="mac"} 1
		# HELP identity_families_revoked_total Session families ended early, by reason (signed_out, reuse, displaced, disabled by staff). Those that Kratos ended count in identity_kratos_families_ended_total.
		# TYPE identity_families_revoked_total counter
		identity_families_revoked_total{reason="displaced"} 0
		identity_families_revoked_total{reason="reuse"} 1
		identity_families_revoked_total{reason="signed_out"} 1
		# HELP identity_hand_off_codes_minted_total Hand-off codes minted.
		# TYPE identity_hand_off_codes_minted_total counter
		identity_hand_off_codes_minted_total 3
		# HELP identity_hand_off_exchanges_total Hand-off codes presented, by result: accepted, or why not.
		# TYPE identity_hand_off_exchanges_total counter
		identity_hand_off_exchanges_total{result="accepted"} 1
		identity_hand_off_exchanges_total{result="account_disabled"} 1
		identity_hand_off_exchanges_total{result="expired"} 1
		identity_hand_off_exchanges_total{result="reused"} 2
		identity_hand_off_exchanges_total{result="session_ended"} 1
		identity_hand_off_exchanges_total{result="unknown"} 1
		identity_hand_off_exchanges_total{result="wrong_callback"} 1
		identity_hand_off_exchanges_total{result="wrong_verifier"} 1
	`
	if err := testutil.GatherAndCompare(r.metrics, strings.NewReader(want), "identity_families_opened_total", "identity_families_revoked_total",
		"identity_hand_off_codes_minted_total", "identity_hand_off_exchanges_total"); err != nil {
		t.Error(err)
	}
}
