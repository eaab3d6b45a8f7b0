package store_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/handoff"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/errtest"
)

// Codes stay for a day; the cap counts from an index those of a minute.
func TestTheCapOnCodesReadsTheLastMinuteAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var sent string
	var with []any
	cfg := f.pool.Config()
	cfg.ConnConfig.Tracer = tracer{func(sql string, args []any) {
		if strings.Contains(sql, "INSERT INTO hand_off_codes") {
			sent, with = sql, args
		}
	}}
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	ann, family := f.person("ann@example.com", 0), uuid.New()
	f.exec(`INSERT INTO session_families (id, user_id, generation, leaf_hash, rotated_at, created_at, expires_at, user_agent, ip_address)
		VALUES ($1, $2, 0, sha256(''), $3, $3, $4, '', '')`, family, ann.ID, epoch, epoch.AddDate(0, 0, 30))
	f.exec(`INSERT INTO hand_off_codes (hash, family_id, callback, challenge, created_at, expires_at)
		SELECT sha256(n::text::bytea), $1, '', sha256(''), $2::timestamptz - n * interval '3 seconds', $2::timestamptz - n * interval '3 seconds' + interval '60 seconds'
		FROM generate_series(1, 20000) n`, family, epoch)
	f.exec(`ANALYZE hand_off_codes`)
	code := handoff.Code{Hash: make([]byte, 32), Family: family, Challenge: make([]byte, 32), CreatedAt: epoch, ExpiresAt: epoch.Add(handoff.Lifetime)}
	if ok, err := store.New(pool, account.Admins{}, patient).AddCode(t.Context(), code, 19); err != nil || ok {
		t.Fatalf("with 19 good codes: %t, %v", ok, err)
	}
	if ok, err := f.AddCode(t.Context(), code, 20); err != nil || !ok {
		t.Fatalf("with 19 good codes and room: %t, %v", ok, err)
	}
	if plan := explain(f, "force_custom_plan", sent, with); !regexp.MustCompile(`Index Cond: .*created_at >`).MatchString(plan) {
		t.Errorf("the cap reads more than a minute:\n%s", plan)
	}
}
