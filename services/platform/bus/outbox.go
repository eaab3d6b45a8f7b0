package bus

import (
	"context"
	"embed"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"google.golang.org/protobuf/proto"

	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pg"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations creates the outbox, inbox and dead_letter tables. A service that
// publishes or consumes passes it to pg.Migrate before its own set.
func Migrations() pg.Migrations {
	return pg.Migrations{Name: "bus", FS: migrations}
}

// DBTX is a transaction or a pool.
type DBTX interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Row is an event as a row of the outbox table. A hot path that writes its
// data and its event in one statement inserts these columns in its own CTE:
//
//	INSERT INTO outbox (id, type, "time", source, subject, version, traceparent, payload)
//
// "time" may be now() and version 0. The remaining columns belong to the relay.
type Row struct {
	ID          uuid.UUID
	Type        string
	Time        *time.Time // nil: the transaction's time
	Source      string
	Subject     string
	Version     int64
	Traceparent string // W3C trace context of the writer; may be empty
	Payload     []byte
}

// Encode checks an event and makes its outbox row, with the trace of ctx.
func Encode(ctx context.Context, ev Event) (Row, error) {
	t, err := ev.validate()
	if err != nil {
		return Row{}, err
	}
	row := Row{ID: ev.ID, Type: ev.Type, Source: ev.Source, Subject: ev.Subject, Version: ev.Version}
	if row.ID == uuid.Nil {
		row.ID = uuid.Must(uuid.NewV7())
	}
	if !ev.Time.IsZero() {
		row.Time = &ev.Time
	}
	if row.Source == "" {
		row.Source = t.service
	}
	if row.Payload, err = proto.Marshal(ev.Payload); err != nil {
		return Row{}, fmt.Errorf("bus: encode %s: %w", ev.Type, err)
	}
	if len(row.Payload) > MaxPayload {
		return Row{}, fmt.Errorf("bus: %s has %d bytes, more than %d", ev.Type, len(row.Payload), MaxPayload)
	}
	row.Traceparent = obs.Traceparent(ctx)
	return row, nil
}

const appendRows = `
INSERT INTO outbox (id, type, "time", source, subject, version, traceparent, payload)
SELECT id, type, coalesce("time", now()), source, subject, version, traceparent, payload
FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bytea[])
     WITH ORDINALITY AS e (id, type, "time", source, subject, version, traceparent, payload, place)
ORDER BY place`

// Append writes events to the outbox in the caller's transaction: they are
// published if and only if it commits. It is one statement however many there
// are, and fails without writing when one of them is not valid.
func Append(ctx context.Context, tx DBTX, events ...Event) error {
	var (
		ids                                    []uuid.UUID
		types, sources, subjects, traceparents []string
		times                                  []*time.Time
		versions                               []int64
		payloads                               [][]byte
	)
	for _, ev := range events {
		row, err := Encode(ctx, ev)
		if err != nil {
			return err
		}
		ids, types, times = append(ids, row.ID), append(types, row.Type), append(times, row.Time)
		sources, subjects = append(sources, row.Source), append(subjects, row.Subject)
		versions, traceparents = append(versions, row.Version), append(traceparents, row.Traceparent)
		payloads = append(payloads, row.Payload)
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, appendRows, ids, types, times, sources, subjects, versions, traceparents, payloads)
	if err != nil {
		return fmt.Errorf("bus: append %s: %w", types[0], err)
	}
	return nil
}
