package releases_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/releases"
	"fledge.dev/services/releases/internal/store"
)

// command runs one on the database.
func command(t *testing.T, database, name string, args ...string) (string, error) {
	t.Helper()
	var out, log bytes.Buffer
	commands := releases.Commands()
	i := slices.IndexFunc(commands, func(c service.Command) bool { return c.Name == name })
	err := commands[i].Run(t.Context(), service.Call{
		Args: args, Environ: []string{"DATABASE_URL=" + database}, Out: &out, Runtime: service.NewRuntime("releases", "test", obs.NewLogger(&log, "releases", 0)),
	})
	return out.String(), err
}

func TestAnOperatorAsksWhatAnAppIsOffered(t *testing.T) {
	database := pgtest.New(t, "releases", store.Migrate)
	pool := pgtest.Open(t, database)
	pgtest.Exec(t, pool, `
		INSERT INTO releases (version, github_id, name, prerelease, published_at, is_available, rollout_percentage)
		VALUES ('2.0.0-beta.1', 2, 'Two', true, now(), true, 25), ('1.0.0', 1, 'One', false, now(), false, 100)`)
	for _, tc := range []struct{ args, want string }{
		{"", "v2.0.0-beta.1 is on the channel beta, and the app follows stable.\nv1.0.0 is disabled."},
		{"--id 6ba7b810-9dad-51d1-80b4-00c040000000 --channel beta --version v1.0.0", "Its id is at 25.00 of 100 in every rollout: a rollout above that reaches it.\nv2.0.0-beta.1 is rolled out to 25%, which does not reach it."},
	} {
		if out, err := command(t, database, "explain", strings.Fields(tc.args)...); err != nil || !strings.Contains(out, tc.want) {
			t.Errorf("%s: %s%v", tc.args, out, err)
		}
	}
	for _, args := range []string{"--channel latest", "--version 1.2", "6ba7b810", "--device x"} {
		if out, err := command(t, database, "explain", strings.Fields(args)...); err == nil {
			t.Errorf("%s: %s", args, out)
		}
	}
}
