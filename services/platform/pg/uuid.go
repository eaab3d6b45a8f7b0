package pg

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// encodeUUIDs has a connection write a uuid.UUID as the bytes that it is. Otherwise pgx
// goes by its driver.Valuer, whose text it fails to encode, parses, and encodes again.
func encodeUUIDs(_ context.Context, conn *pgx.Conn) error {
	wrapUUIDs(conn.TypeMap())
	return nil
}

func wrapUUIDs(types *pgtype.Map) {
	types.TryWrapEncodePlanFuncs = slices.Insert(types.TryWrapEncodePlanFuncs, 0, wrapUUID)
}

func wrapUUID(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	id, ok := value.(uuid.UUID)
	return &uuidPlan{}, pgtype.UUID{Bytes: id, Valid: true}, ok
}

// uuidPlan encodes a uuid.UUID as next does pgx's own.
type uuidPlan struct{ next pgtype.EncodePlan }

// SetNext implements pgtype.WrappedEncodePlanNextSetter.
func (p *uuidPlan) SetNext(next pgtype.EncodePlan) { p.next = next }

// Encode implements pgtype.EncodePlan.
func (p *uuidPlan) Encode(value any, buf []byte) ([]byte, error) {
	id, ok := value.(uuid.UUID)
	if !ok {
		return nil, fmt.Errorf("pg: %T is no UUID", value)
	}
	return p.next.Encode(pgtype.UUID{Bytes: id, Valid: true}, buf)
}
