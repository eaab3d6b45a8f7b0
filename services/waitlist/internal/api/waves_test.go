package api_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/fault"
)

func TestAWaveThatIsNoneIsRefused(t *testing.T) {
	server := newServer(t, slog.New(slog.DiscardHandler))
	ctx := audittest.As(t.Context())
	id := uuid.NewString()
	for reason, req := range map[string]*waitlistv1.StartWaveRequest{
		"invalid_id":            {Id: "urn:uuid:" + id},
		"invalid_search":        {Id: id, Search: strings.Repeat("я", 255)},
		"invalid_source":        {Id: id, Source: 9},
		"invalid_channel":       {Id: id, Channel: 3},
		"invalid_people":        {Id: id, People: -1},
		"invalid_percent":       {Id: id, People: 1, Percent: 50},
		"invalid_per_minute":    {Id: id, PerMinute: 1_000_001},
		"invalid_joined_before": {Id: id, JoinedBefore: &timestamppb.Timestamp{Nanos: -1}},
		"invalid_starts_at":     {Id: id, StartsAt: timestamppb.New(time.Now().Add(367 * 24 * time.Hour))},
		"wave_empty":            {Id: id},
	} {
		if _, err := server.StartWave(ctx, req); fault.Of(err).Reason != reason {
			t.Errorf("%s: %v", reason, err)
		}
	}
	for reason, req := range map[string]*waitlistv1.ChangeWaveRequest{
		"invalid_id":     {Id: "x", Action: waitlistv1.ChangeWaveRequest_ACTION_PAUSE},
		"invalid_action": {Id: id},
		"wave_not_found": {Id: id, Action: waitlistv1.ChangeWaveRequest_ACTION_PAUSE},
	} {
		if _, err := server.ChangeWave(ctx, req); fault.Of(err).Reason != reason {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

func TestAPreviewStartsNothing(t *testing.T) {
	server := newServer(t, slog.New(slog.DiscardHandler))
	ctx := audittest.As(t.Context())
	if _, err := server.AddUser(ctx, &waitlistv1.AddUserRequest{Email: "ada@example.com"}); err != nil {
		t.Fatal(err)
	}
	for _, search := range []string{"\x1b[1mADA@\x00\r\n", "Ada Example <Ada@Example.com>", "\"Example, Ada\" <ada@example.com>", "<ada@example.com>"} {
		resp, err := server.StartWave(ctx, &waitlistv1.StartWaveRequest{Id: uuid.NewString(), Search: search, Preview: true})
		if err != nil || resp.GetWave().GetTotal() != 1 {
			t.Errorf("%q: %v, %v", search, resp, err)
		}
	}
	if list, err := server.ListWaves(ctx, &waitlistv1.ListWavesRequest{}); err != nil || len(list.GetWaves()) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}
