package store_test

import (
	"testing"

	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/releases/internal/store"
)

func TestSchemaIsWhatTheFileShows(t *testing.T) {
	pgtest.Schema(t, "schema.sql", store.Migrate)
}

func TestThePreviousVersionGoesOn(t *testing.T) {
	// In rows of the previous version, nothing is chosen.
	pgtest.Previous(t, store.Migrate, "releases_chosen_channel_check")
}
