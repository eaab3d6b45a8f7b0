package store_test

import (
	"testing"

	"fledge.dev/services/platform/pgtest"
)

func TestSchemaIsWhatTheFileShows(t *testing.T) {
	pgtest.Schema(t, "schema.sql", migrate)
}

func TestThePreviousVersionGoesOn(t *testing.T) {
	pgtest.Previous(t, migrate)
}
