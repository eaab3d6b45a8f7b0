package releases

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/enum"
)

// getUpdateChannel says which channel the caller's app follows, and what can be downloaded on it: the one that
// staff have given them, else the one that they were approved with on the waitlist. Without an answer about
// either it fails, and apps stay on the channel that they know.
func (h *handlers) getUpdateChannel(c *gin.Context) error {
	standing, err := h.waitlist.GetStatus(c.Request.Context(), &waitlistv1.GetStatusRequest{})
	if err != nil {
		return err
	}
	group := enum.Of[releasesv1.Channel](enum.Name(standing.GetChannel()))
	resp, err := h.releases.GetOwnChannel(c.Request.Context(), &releasesv1.GetOwnChannelRequest{GroupChannel: group})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.UpdateChannel{
		Channel: wire.UpdateChannelName(enum.Name(resp.GetChannel())), Downloads: downloadsOf(resp.GetDownloads()), IsPrerelease: resp.GetIsPrerelease(),
	})
	return nil
}

func (h *handlers) getPersonChannel(c *gin.Context) error {
	id, err := route.UUID("userId", route.Query(c).Get("userId"))
	if err != nil {
		return err
	}
	resp, err := h.releases.GetUserChannel(c.Request.Context(), &releasesv1.GetUserChannelRequest{UserId: id})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, personChannelOf(resp.GetChannel()))
	return nil
}

func (h *handlers) setPersonChannel(c *gin.Context, req wire.SetPersonChannelRequest) error {
	resp, err := h.releases.SetUserChannel(c.Request.Context(), &releasesv1.SetUserChannelRequest{
		UserId: req.UserID, Channel: givenChannel(req.Channel, "none"), Reason: req.Reason,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, personChannelOf(resp.GetChannel()))
	return nil
}

// givenChannel is the channel of that name; unspecified is the name for a service's 0.
func givenChannel[S ~string](name, unspecified S) releasesv1.Channel {
	if name == unspecified {
		return 0
	}
	return route.GivenEnum[releasesv1.Channel](&name)
}

func personChannelOf(channel *releasesv1.UserChannel) wire.PersonChannel {
	return wire.PersonChannel{Channel: wire.UpdateChannelName(enum.Name(channel.GetChannel())), SetAt: route.TimeOrNull(channel.GetSetAt())}
}
