package store_test

import (
	"testing"

	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/support/internal/store"
)

func TestSchemaIsWhatTheFileShows(t *testing.T) {
	pgtest.Schema(t, "schema.sql", store.Migrate)
}

func TestThePreviousVersionGoesOn(t *testing.T) {
	pgtest.Previous(t, store.Migrate)
}
