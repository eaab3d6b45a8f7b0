package store_test

import (
	"context"
	"testing"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/support/internal/store"
)

func TestSchemaIsWhatTheFileShows(t *testing.T) {
	pgtest.Schema(t, "schema.sql", migrate)
}

func TestThePreviousVersionGoesOn(t *testing.T) {
	pgtest.Previous(t, migrate)
}

func migrate(ctx context.Context, url string) error {
	return pg.Migrate(ctx, url, bus.Migrations(), store.Migrations())
}
