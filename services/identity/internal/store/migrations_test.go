package store_test

import "testing"

// Replicas of the version before devices know neither device_name nor
// last_active_at: while they are being replaced, browsers sign in at them too.
func TestOlderReplicasStillOpenFamilies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ann := f.person("ann@example.com", 0)
	f.exec(`INSERT INTO session_families (id, user_id, kratos_session_id, generation, leaf_hash, rotated_at, created_at, expires_at, user_agent, ip_address)
		VALUES (gen_random_uuid(), $1, gen_random_uuid(), 0, sha256(''), $2, $2, $3, '', '')`, ann.ID, epoch, epoch.AddDate(0, 0, 30))
	families, err := f.Families(t.Context(), ann.ID, epoch, 10)
	if err != nil || len(families) != 1 || families[0].Device.Name != "" || families[0].LastActiveAt.IsZero() {
		t.Errorf("%+v, %v", families, err)
	}
}
