package api_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

func count(t *testing.T, pool *pgxpool.Pool, what string) (n int) {
	t.Helper()
	errtest.None(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM "+what).Scan(&n))
	return n
}

// TestTwoAdminsApproveTheSameAtOnce: each person gets in once.
func TestTwoAdminsApproveTheSameAtOnce(t *testing.T) {
	server, pool := serverOn(t, slog.New(slog.DiscardHandler))
	ctx := audittest.As(t.Context())
	var ids []string
	for n := range 20 {
		resp, err := server.AddUser(ctx, &waitlistv1.AddUserRequest{Email: fmt.Sprintf("person%d@example.com", n)})
		errtest.None(t, err)
		ids = append(ids, resp.GetUser().GetId())
	}
	if _, err := server.RemoveUser(ctx, &waitlistv1.RemoveUserRequest{Id: ids[0]}); err != nil {
		t.Fatal(err)
	}
	unknown := uuid.NewString()
	var admins sync.WaitGroup
	for range 2 {
		admins.Go(func() {
			resp, err := server.BulkApproveUsers(ctx, &waitlistv1.BulkApproveUsersRequest{Ids: append([]string{unknown}, ids...)})
			if err != nil {
				t.Error(err)
				return
			}
			want := map[string]string{unknown: "waitlist_user_not_found", ids[0]: "waitlist_user_rejected"}
			for i, r := range resp.GetResults() {
				if i > 0 && r.GetId() != ids[i-1] || r.GetCode() != want[r.GetId()] || (r.GetCode() == "") != (r.GetError() == "") || (r.GetCode() == "") != r.GetUndoUntil().IsValid() {
					t.Errorf("result %d: %v", i, r)
				}
			}
		})
	}
	admins.Wait()
	if n := count(t, pool, "waitlist_users WHERE status = 'approved'"); n != 19 {
		t.Errorf("%d approved", n)
	}
	if n := count(t, pool, "mail.river_job"); n != 19 {
		t.Errorf("%d emails", n)
	}
	if n := len(audittest.Actions(t, pool)); n != 20+1+19 {
		t.Errorf("%d records", n)
	}
}

func TestBulkRefusesAListThatIsNone(t *testing.T) {
	server, pool := serverOn(t, slog.New(slog.DiscardHandler))
	id := uuid.NewString()
	many := make([]string, 101)
	for i := range many {
		many[i] = uuid.NewString()
	}
	for name, ids := range map[string][]string{
		"none": nil, "too many": many, "one twice": {id, id}, "no id": {""}, "another form": {"urn:uuid:" + id}, "text": {"'; DROP TABLE outbox--"},
	} {
		if _, err := server.BulkApproveUsers(audittest.As(t.Context()), &waitlistv1.BulkApproveUsersRequest{Ids: ids}); fault.Of(err).Kind != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := count(t, pool, "outbox"); n != 0 {
		t.Errorf("%d events", n)
	}
}

func TestImportTellsOfEachLine(t *testing.T) {
	server, pool := serverOn(t, slog.New(slog.DiscardHandler))
	ctx := audittest.As(t.Context())
	lines := []*waitlistv1.ImportLine{
		{Line: 2, Email: "Ada@Example.com"}, {Line: 3, Email: "no address"}, {Line: 4, Email: "ada@example.com"}, {Line: 7, Email: "bob@example.com\r\nBcc: v@x"}, {Line: 9, Email: "bob@example.com"},
	}
	const added, known, invalid = waitlistv1.ImportResult_OUTCOME_ADDED, waitlistv1.ImportResult_OUTCOME_KNOWN, waitlistv1.ImportResult_OUTCOME_INVALID
	for round, want := range [][]waitlistv1.ImportResult_Outcome{{added, invalid, known, invalid, added}, {known, invalid, known, invalid, known}} {
		resp, err := server.ImportUsers(ctx, &waitlistv1.ImportUsersRequest{ImportId: uuid.NewString(), Lines: lines})
		errtest.None(t, err)
		outcomes := map[waitlistv1.ImportResult_Outcome]int{}
		for i, r := range resp.GetResults() {
			outcomes[r.GetOutcome()]++
			if (r.GetOutcome() == invalid) != (want[i] == invalid) || (r.GetError() != "") != (want[i] == invalid) {
				t.Errorf("round %d, line %d: %v", round, i, r)
			}
		}
		if round == 0 && outcomes[added] != 2 || round == 1 && outcomes[added] != 0 {
			t.Errorf("round %d: %v", round, outcomes)
		}
	}
	if n := count(t, pool, "waitlist_users WHERE source = 'import' AND status = 'pending'"); n != 2 || count(t, pool, "outbox") != 1 {
		t.Errorf("%d entries, %d audit records", n, count(t, pool, "outbox"))
	}
	for name, req := range map[string]*waitlistv1.ImportUsersRequest{
		"no lines": {ImportId: uuid.NewString()}, "no id": {Lines: lines}, "too many": {ImportId: uuid.NewString(), Lines: make([]*waitlistv1.ImportLine, 5001)},
	} {
		if _, err := server.ImportUsers(ctx, req); fault.Of(err).Kind != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestADryRunTellsHowLinesAreRead, and writes nothing.
func TestADryRunTellsHowLinesAreRead(t *testing.T) {
	server, pool := serverOn(t, slog.New(slog.DiscardHandler))
	began := time.Now().Add(-time.Hour).UTC().Truncate(time.Microsecond)
	april, march := time.Date(2024, 4, 3, 0, 0, 0, 0, time.UTC), time.Date(2024, 3, 4, 0, 0, 0, 0, time.UTC)
	const pending, fromImport = waitlistv1.Status_STATUS_PENDING, waitlistv1.Source_SOURCE_IMPORT
	for name, tt := range map[string]struct {
		line     *waitlistv1.ImportLine
		dayFirst bool
		joined   time.Time
		status   waitlistv1.Status
		source   waitlistv1.Source
		reason   string
	}{
		"an address alone":    {&waitlistv1.ImportLine{}, false, began, pending, fromImport, ""},
		"all of it":           {&waitlistv1.ImportLine{Joined: "3/4/2024", Status: "Approved", Source: "CTA_section"}, false, march, waitlistv1.Status_STATUS_APPROVED, waitlistv1.Source_SOURCE_CTA_SECTION, ""},
		"the day first":       {&waitlistv1.ImportLine{Joined: "3/4/2024", Status: "rejected"}, true, april, waitlistv1.Status_STATUS_REJECTED, fromImport, ""},
		"another status":      {&waitlistv1.ImportLine{Status: "subscribed"}, false, time.Time{}, 0, 0, "The status is not pending, approved or rejected."},
		"who gets no emails":  {&waitlistv1.ImportLine{Status: "Unsubscribed"}, false, time.Time{}, 0, 0, "The file says that this person gets no emails."},
		"another source":      {&waitlistv1.ImportLine{Source: "Facebook"}, false, time.Time{}, 0, 0, "The source is not hero_section, cta_section, admin or import."},
		"another date":        {&waitlistv1.ImportLine{Joined: "yesterday"}, false, time.Time{}, 0, 0, "The date cannot be read."},
		"a date yet to come":  {&waitlistv1.ImportLine{Joined: "9999-01-01"}, false, time.Time{}, 0, 0, "The date is in the future."},
		"the day is no month": {&waitlistv1.ImportLine{Joined: "25/4/2024"}, false, time.Time{}, 0, 0, "The date cannot be read."},
	} {
		tt.line.Line, tt.line.Email = 2, "ada@example.com"
		resp, err := server.ImportUsers(audittest.As(t.Context()), &waitlistv1.ImportUsersRequest{
			ImportId: uuid.NewString(), Lines: []*waitlistv1.ImportLine{tt.line}, DryRun: true, DayFirst: tt.dayFirst, BeganAt: timestamppb.New(began),
		})
		errtest.None(t, err)
		want := &waitlistv1.ImportResult{Outcome: waitlistv1.ImportResult_OUTCOME_INVALID, Error: tt.reason}
		if tt.reason == "" {
			want = &waitlistv1.ImportResult{Outcome: waitlistv1.ImportResult_OUTCOME_ADDED, JoinedAt: timestamppb.New(tt.joined), Status: tt.status, Source: tt.source}
		}
		if got := resp.GetResults()[0]; !proto.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if entries, records := count(t, pool, "waitlist_users"), count(t, pool, "outbox"); entries != 0 || records != 0 {
		t.Errorf("%d entries, %d audit records", entries, records)
	}
}

// TestNobodyIsImportedIntoTheFuture, where no wave finds them, by a caller whose clock is ahead.
func TestNobodyIsImportedIntoTheFuture(t *testing.T) {
	server, _ := serverOn(t, slog.New(slog.DiscardHandler))
	ctx, ahead := audittest.As(t.Context()), time.Now().Add(24*time.Hour)
	for n, joined := range []string{"", ahead.Add(-time.Hour).Format(time.RFC3339)} {
		if _, err := server.ImportUsers(ctx, &waitlistv1.ImportUsersRequest{
			ImportId: uuid.NewString(), BeganAt: timestamppb.New(ahead), Lines: []*waitlistv1.ImportLine{{Line: 2, Email: fmt.Sprintf("person%d@example.com", n), Joined: joined}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := server.ListUsers(ctx, &waitlistv1.ListUsersRequest{})
	if err != nil || len(list.GetUsers()) != 1 || list.GetUsers()[0].GetCreatedAt().AsTime().After(time.Now()) {
		t.Errorf("on the list are %v, %v", list, err)
	}
	preview, err := server.StartWave(ctx, &waitlistv1.StartWaveRequest{Id: uuid.NewString(), Preview: true})
	if err != nil || preview.GetWave().GetTotal() != 1 {
		t.Errorf("a wave would be %v, %v", preview, err)
	}
}

// TestAnImportKeepsTheOrderOfItsFile, also over its parts.
func TestAnImportKeepsTheOrderOfItsFile(t *testing.T) {
	for name, tt := range map[string]struct {
		joined      string
		oldestFirst bool
		want        []string // newest first
	}{
		"without dates, who waits longest is first": {"", false, []string{"d", "c", "b", "a"}},
		"with dates, the newest is first":           {"2024-03-04", false, []string{"a", "b", "c", "d"}},
		"unless the dates rise":                     {"2024-03-04", true, []string{"d", "c", "b", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			server, _ := serverOn(t, slog.New(slog.DiscardHandler))
			ctx, began := audittest.As(t.Context()), timestamppb.Now()
			for part, names := range []string{"ab", "cd"} {
				req := &waitlistv1.ImportUsersRequest{ImportId: uuid.NewString(), BeganAt: began, OldestFirst: tt.oldestFirst}
				for i, name := range names {
					req.Lines = append(req.Lines, &waitlistv1.ImportLine{Line: int32(2 + 2*part + i), Email: string(name) + "@example.com", Joined: tt.joined})
				}
				if _, err := server.ImportUsers(ctx, req); err != nil {
					t.Fatal(err)
				}
			}
			list, err := server.ListUsers(ctx, &waitlistv1.ListUsersRequest{})
			errtest.None(t, err)
			var got []string
			for _, user := range list.GetUsers() {
				got = append(got, strings.TrimSuffix(user.GetEmail(), "@example.com"))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("the list is %q, want %q", got, tt.want)
			}
		})
	}
}
