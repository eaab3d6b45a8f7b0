package pg

import (
	"bytes"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"fledge.dev/services/platform/errtest"
)

func TestUUIDsAreWrittenWithoutADetour(t *testing.T) {
	const n = 100
	types := pgtype.NewMap()
	wrapUUIDs(types)
	ids, known := make([]uuid.UUID, n), make([]pgtype.UUID, n)
	for i := range ids {
		ids[i] = uuid.New()
		known[i] = pgtype.UUID{Bytes: ids[i], Valid: true}
	}
	encode := func(oid uint32, value any) []byte {
		t.Helper()
		encoded, err := types.Encode(oid, pgtype.BinaryFormatCode, value, nil)
		errtest.None(t, err)
		return encoded
	}
	if !bytes.Equal(encode(pgtype.UUIDArrayOID, ids), encode(pgtype.UUIDArrayOID, known)) {
		t.Error("an array is not what pgx makes of its own type")
	}
	for _, value := range []any{ids[0], &ids[0]} {
		if got := encode(pgtype.UUIDOID, value); !bytes.Equal(got, ids[0][:]) {
			t.Errorf("%T became %x", value, got)
		}
		if got := encode(pgtype.TextOID, value); string(got) != ids[0].String() {
			t.Errorf("%T became the text %q", value, got)
		}
	}
	if got := encode(pgtype.UUIDOID, (*uuid.UUID)(nil)); got != nil {
		t.Errorf("no UUID became %x", got)
	}
	if perID := testing.AllocsPerRun(10, func() { encode(pgtype.UUIDArrayOID, ids) }) / n; perID > 3 {
		t.Errorf("%.1f allocations for each UUID of an array", perID)
	}
}
