package waitlist_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/waitlist"
)

// command runs a command of the binary on the rig's database, and returns what it prints.
func (r *rig) command(name string, args ...string) (string, error) {
	r.t.Helper()
	return r.commandOn("", name, args...)
}

// commandOn is command with a standard input.
func (r *rig) commandOn(in, name string, args ...string) (string, error) {
	r.t.Helper()
	commands := waitlist.Commands()
	at := slices.IndexFunc(commands, func(c service.Command) bool { return c.Name == name })
	var out bytes.Buffer
	var environ []string
	for _, name := range []string{"DATABASE_URL", "DATABASE_DEADLINE", "DATABASE_STATEMENT_TIMEOUT"} {
		environ = append(environ, name+"="+r.environ[name])
	}
	err := commands[at].Run(r.t.Context(), service.Call{
		Args: args, Environ: environ, In: strings.NewReader(in), Out: &out,
		Runtime: service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler)),
	})
	return out.String(), err
}

// file writes a file, and returns where.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "waitlist.csv")
	errtest.None(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

const operator = "operator@example.test"

// TestAListMovesToANewInstallation as it is: each status and source, the times, and the order of those of one moment.
func TestAListMovesToANewInstallation(t *testing.T) {
	t.Parallel()
	old, next := newRig(t), newRig(t)
	s := old.serve()
	old.joined(s, "pending@example.com")
	old.approve(s, old.joined(s, "approved@example.com"))
	old.remove(s, old.joined(s, "rejected@example.com"))
	var lines strings.Builder
	lines.WriteString("Email,Name,Created_At,Status,Source,Consent,Consented_At,Confirmed_At,Left_At,Suppressed,Suppressed_At,Invitation_Expired_At\n" +
		"kept@example.com,,2026-01-02T03:04:05Z,rejected,hero_section,2025-10,2026-01-02T03:04:05.5Z,2026-01-03T00:00:00Z,2026-01-04T00:00:00Z,Complained,2026-01-04T00:00:01Z,2026-01-05T00:00:00Z\n" +
		"unused@example.com,,2026-01-02T03:04:05Z,pending,import,,,,,,,2026-01-06T00:00:00Z\n")
	for _, status := range []string{"pending", "approved", "rejected", ""} {
		for _, source := range []string{"hero_section", "cta_section", "admin", "import", ""} {
			fmt.Fprintf(&lines, "%s.%s@example.com,Ada,2026-01-02T03:04:05.678901Z,%s,%s\n", status+"x", source+"x", status, source)
		}
	}
	// Two parts and a bit, of one moment.
	for n := range 10_001 {
		fmt.Fprintf(&lines, "person%05d@bücher.example,,,,\n", n)
	}
	if said, err := old.command("import", operator, file(t, lines.String())); err != nil || !strings.HasSuffix(said, "10023 lines done: 10023 added, 0 known, 0 refused\n") {
		t.Fatalf("%s, %v", said, err)
	}

	list, err := old.command("export")
	errtest.None(t, err)
	if n := strings.Count(list, "\r\n"); n != 10_027 {
		t.Fatalf("exported %d lines", n)
	}
	for _, want := range []string{
		"\ufeffemail,status,source,created_at,consent,consented_at,confirmed_at,left_at,suppressed,suppressed_at,invitation_expired_at\r\n",
		"approvedx.admin", ",rejected,cta_section,2026-01-02T03:04:05.678901Z,,,,,,,\r\n", "\r\nperson00000@xn--bcher-kva.example,pending,import,",
		"\r\npending@example.com,pending,hero_section,", "Z,2026-11,20",
		"\r\nkept@example.com,rejected,hero_section,2026-01-02T03:04:05Z,2025-10,2026-01-02T03:04:05.5Z,2026-01-03T00:00:00Z,2026-01-04T00:00:00Z,complained,2026-01-04T00:00:01Z,\r\n", // who is off the list has no invitation
		"\r\nunused@example.com,pending,import,2026-01-02T03:04:05Z,,,,,,,2026-01-06T00:00:00Z\r\n",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in the export", want)
		}
	}
	if said, err := next.commandOn(list, "import", operator, "-"); err != nil || !strings.HasSuffix(said, "10026 lines done: 10026 added, 0 known, 0 refused\n") {
		t.Fatalf("%s, %v", said, err)
	}
	again, err := next.command("export")
	if err != nil || again != list {
		t.Errorf("the list is another one in the new installation: %v, %d and %d bytes", err, len(again), len(list))
	}
	if n := next.count(`SELECT count(*) FROM mail.reports WHERE address = 'kept@example.com' AND kind = 'complained' AND lifted_at IS NULL`); n != 1 {
		t.Errorf("%d suppressions have moved", n)
	}
	if n := next.count(emailsQueued); n != 0 {
		t.Errorf("%d emails are queued", n)
	}
	actions := audittest.Actions(t, next.pool)
	if len(actions) != 3 || slices.ContainsFunc(actions, func(a *auditv1.StaffAction) bool {
		return a.GetAction() != "waitlist.imported" || a.GetActorEmail() != operator
	}) {
		t.Errorf("recorded %v", actions)
	}
}

// TestAnImportGoesOnWhereItStopped by being called again, and names what it refuses.
func TestAnImportGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	broken := file(t, "email,status\n"+strings.Repeat("known@example.com,pending\n", 5_000)+"late@example.com,pending\n\"open\n")
	said, err := r.command("import", operator, broken)
	if err == nil || said != "5000 lines done: 1 added, 4999 known, 0 refused\n" {
		t.Fatalf("%s, %v", said, err)
	}
	mended := file(t, "email,status\nknown@example.com,pending\nnobody,\nlate@example.com,waiting\n\nlate@example.com\n")
	said, err = r.command("import", operator, mended)
	if err != nil || !strings.HasSuffix(said, "4 lines done: 1 added, 1 known, 2 refused\n") ||
		!strings.Contains(said, "line 3: Please enter a valid email address.\n") || !strings.Contains(said, "line 4: The status is not pending, approved or rejected.\n") {
		t.Errorf("%s, %v", said, err)
	}
}

// TestAnImportTakesWhatAnExportWrites: a time that could mean two days is refused, and space around a cell
// does not count.
func TestAnImportTakesWhatAnExportWrites(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	list := "email, status ,source,created_at\n ann@example.com , approved , admin , 2026-01-02T03:04:05Z \nbea@example.com,,,3/4/2026\n" +
		"cleo@example.com,,,9999-01-01T00:00:00Z\n" + strings.Repeat("ann@example.com,,,2026-01-02\n", 4_997)
	said, err := r.commandOn(list, "import", operator, "-")
	if err != nil || strings.Count(said, "lines done") != 1 || !strings.HasSuffix(said, "\n5000 lines done: 1 added, 0 known, 4999 refused\n") ||
		!strings.Contains(said, "line 3: The time in created_at cannot be read.\n") || !strings.Contains(said, "line 4: The date is in the future.\n") {
		t.Errorf("%.200s… %.200s, %v", said, said[max(0, len(said)-200):], err)
	}
	if n := r.count(`SELECT count(*) FROM waitlist_users WHERE email = 'ann@example.com' AND status = 'approved' AND created_at = '2026-01-02T03:04:05Z'`); n != 1 {
		t.Errorf("%d people are as the file says", n)
	}
	if said, err := r.commandOn("email\n", "import", operator, "-"); err != nil || said != "0 lines done: 0 added, 0 known, 0 refused\n" {
		t.Errorf("of nobody: %s, %v", said, err)
	}
}

// TestAnImportRefusesWhatItCannotKeep: a record is taken as a whole or not at all.
func TestAnImportRefusesWhatItCannotKeep(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	said, err := r.commandOn("email,consent,consented_at,left_at,suppressed,suppressed_at\n"+
		"ann@example.com,2026-11,,,,\n"+
		"bea@example.com,,2026-01-02T03:04:05Z,,,\n"+
		"cleo@example.com,,,yesterday,,\n"+
		"dora@example.com,,,2999-01-02T03:04:05Z,,\n"+
		"eve@example.com,,,,hidden,\n"+
		"fay@example.com,,,,,2026-01-02T03:04:05Z\n"+
		"gil@example.com,,,,bounced,\n", "import", operator, "-")
	if err != nil || !strings.HasSuffix(said, "7 lines done: 1 added, 0 known, 6 refused\n") {
		t.Fatalf("%s, %v", said, err)
	}
	const consent = "The consent is not a name of at most 64 visible characters, with the time in consented_at.\n"
	for _, want := range []string{
		"line 2: " + consent, "line 3: " + consent, "line 4: The time in left_at cannot be read.\n", "line 5: left_at: The date is in the future.\n",
		"line 6: The suppression is not bounced, complained or unsubscribed.\n", "line 7: The time in suppressed_at stands without a suppression.\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %s", want, said)
		}
	}
	if n := r.count(`SELECT count(*) FROM mail.reports WHERE address = 'gil@example.com' AND kind = 'bounced'`); n != 1 {
		t.Errorf("%d addresses are suppressed", n)
	}
	// What staff have lifted stays so, and known people keep what is known of them.
	if _, err := r.pool.Exec(t.Context(), `UPDATE mail.reports SET lifted_at = now()`); err != nil {
		t.Fatal(err)
	}
	if said, err := r.commandOn("email,suppressed\ngil@example.com,bounced\n", "import", operator, "-"); err != nil || !strings.Contains(said, "1 known") {
		t.Errorf("%s, %v", said, err)
	}
	if n := r.count(`SELECT count(*) FROM mail.reports WHERE lifted_at IS NULL`); n != 0 {
		t.Errorf("%d addresses are suppressed again", n)
	}
}

func TestTheListCommandsRefuseWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, call := range [][]string{
		{"export", "x.csv"}, {"import"}, {"import", operator}, {"import", operator, filepath.Join(t.TempDir(), "gone.csv")},
		{"import", operator, file(t, "")}, {"import", file(t, "email\nada@example.com\n"), file(t, "email\nada@example.com\n")}, {"import", operator, file(t, "name,when\nAda,now\n")},
	} {
		if said, err := r.command(call[0], call[1:]...); err == nil {
			t.Errorf("%v: %s", call, said)
		}
	}
	if n := r.count(`SELECT count(*) FROM waitlist_users`); n != 0 {
		t.Errorf("%d people are on the list", n)
	}
}
