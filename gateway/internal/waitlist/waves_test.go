package waitlist_test

import (
	"net/http"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

const aWave = `{"id":"` + apitest.AnyID + `","search":"","source":null,"joinedBefore":"2026-11-27T09:00:00Z","people":10,"startsAt":"2026-11-27T09:00:00Z",
	"perMinute":0,"state":"running","total":10,"approved":5,"undone":0,"failures":[{"id":"` + apitest.RejectedID + `","email":"ada@example.com"}],
	"undoUntil":null,"startedBy":"admin@example.com","createdAt":"2026-11-27T09:00:00Z","changedAt":"2026-11-27T09:01:00Z","starterLostRole":false,"channel":"beta"}`

func TestWaves(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	at := timestamppb.New(time.Date(2026, 11, 28, 8, 0, 0, 0, time.UTC))
	for body, want := range map[string]*waitlistv1.StartWaveRequest{
		`{"waveId":"` + apitest.AnyID + `"}`:                  {Id: apitest.AnyID},
		`{"waveId":"` + apitest.AnyID + `","preview":true}`:   {Id: apitest.AnyID, Preview: true},
		`{"waveId":"` + apitest.AnyID + `","preview":false}`:  {Id: apitest.AnyID},
		`{"waveId":"` + apitest.AnyID + `","percent":25}`:     {Id: apitest.AnyID, Percent: 25},
		`{"waveId":"` + apitest.AnyID + `","channel":"beta"}`: {Id: apitest.AnyID, Channel: waitlistv1.Channel_CHANNEL_BETA},
		`{"waveId":"` + apitest.AnyID + `","source":"wrong"}`: {Id: apitest.AnyID, Source: -1},
		`{"waveId":"` + apitest.AnyID + `","search":"ada","source":"import","joinedBefore":"2026-11-28T08:00:00Z","people":10,"startsAt":"2026-11-28T09:00:00+01:00","perMinute":60}`: {
			Id: apitest.AnyID, Search: "ada", Source: waitlistv1.Source_SOURCE_IMPORT, JoinedBefore: at, People: 10, StartsAt: at, PerMinute: 60,
		},
	} {
		g.Post("/api/start-wave", body, apitest.Bearer(admin)).Is(http.StatusOK, aWave)
		if got, _ := g.Waitlist.Last(); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("%s: the service was asked %v, want %v", body, got, want)
		}
	}
	g.Post("/api/change-wave", `{"waveId":"`+apitest.AnyID+`","action":"undo"}`, apitest.Bearer(admin)).Is(http.StatusOK, aWave)
	want := &waitlistv1.ChangeWaveRequest{Id: apitest.AnyID, Action: waitlistv1.ChangeWaveRequest_ACTION_UNDO}
	if got, _ := g.Waitlist.Last(); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("the service was asked %v, want %v", got, want)
	}
	g.Get("/api/get-waves", apitest.Bearer(admin)).Is(http.StatusOK, `{"data":[`+aWave+`]}`)
}

func TestATimeThatIsNoneIsRefused(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Post("/api/start-wave", `{"waveId":"`+apitest.AnyID+`","startsAt":"tomorrow"}`, apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_starts_at")
	g.Post("/api/start-wave", `{"waveId":"`+apitest.AnyID+`","joinedBefore":""}`, apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_joined_before")
	if g.Waitlist.Count() != 0 {
		t.Error("a refused request reached the service")
	}
}
