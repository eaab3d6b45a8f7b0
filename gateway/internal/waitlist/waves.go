package waitlist

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/enum"
)

func (h *handlers) getWaves(c *gin.Context) error {
	resp, err := h.waitlist.ListWaves(c.Request.Context(), &waitlistv1.ListWavesRequest{})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.Waves{Data: route.Each(resp.GetWaves(), waveOf)})
	return nil
}

func (h *handlers) startWave(c *gin.Context, req wire.StartWaveRequest) error {
	joinedBefore, err := route.Time("joinedBefore", req.JoinedBefore)
	if err != nil {
		return err
	}
	startsAt, err := route.Time("startsAt", req.StartsAt)
	if err != nil {
		return err
	}
	resp, err := h.waitlist.StartWave(c.Request.Context(), &waitlistv1.StartWaveRequest{
		Id: req.WaveID, Search: route.Value(req.Search), Source: route.GivenEnum[waitlistv1.Source](req.Source), JoinedBefore: joinedBefore,
		People: route.Given(req.People), StartsAt: startsAt, PerMinute: route.Given(req.PerMinute), Preview: route.Value(req.Preview), Percent: route.Given(req.Percent),
		Channel: route.GivenEnum[waitlistv1.Channel](req.Channel),
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, waveOf(resp.GetWave()))
	return nil
}

func (h *handlers) changeWave(c *gin.Context, req wire.ChangeWaveRequest) error {
	resp, err := h.waitlist.ChangeWave(c.Request.Context(), &waitlistv1.ChangeWaveRequest{
		Id: req.WaveID, Action: route.Enum[waitlistv1.ChangeWaveRequest_Action](req.Action),
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, waveOf(resp.GetWave()))
	return nil
}

func waveOf(w *waitlistv1.Wave) wire.Wave {
	answer := wire.Wave{
		ID: w.GetId(), Search: w.GetSearch(), JoinedBefore: w.GetJoinedBefore().AsTime(), People: int64(w.GetPeople()),
		StartsAt: w.GetStartsAt().AsTime(), PerMinute: int64(w.GetPerMinute()), State: wire.WaveState(enum.Name(w.GetState())),
		Total: w.GetTotal(), Approved: w.GetApproved(), Undone: w.GetUndone(), Failures: make([]wire.Wave_Failures, 0, len(w.GetFailures())),
		UndoUntil: route.TimeOrNull(w.GetUndoUntil()), StartedBy: route.OrNull(w.GetStartedBy()), CreatedAt: w.GetCreatedAt().AsTime(),
		ChangedAt: w.GetChangedAt().AsTime(), StarterLostRole: w.GetStarterLostRole(),
		Source: route.OrNull(wire.WaveSource(enum.Name(w.GetSource()))), Channel: route.OrNull(wire.WaveChannel(enum.Name(w.GetChannel()))),
	}
	for _, f := range w.GetFailures() {
		answer.Failures = append(answer.Failures, wire.Wave_Failures{ID: f.GetId(), Email: f.GetEmail()})
	}
	return answer
}
