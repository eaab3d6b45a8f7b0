package identity

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/enum"
)

func (h *handlers) getDevices(c *gin.Context) error {
	resp, err := h.Identity.ListDevices(c.Request.Context(), &identityv1.ListDevicesRequest{})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.DeviceList{Data: route.Each(resp.GetDevices(), deviceOf)})
	return nil
}

func deviceOf(d *identityv1.SignedInDevice) wire.Device {
	return wire.Device{
		ID: d.GetId(), Kind: wire.DeviceKind(enum.Name(d.GetKind())), Current: d.GetCurrent(),
		Name: d.GetDevice().GetName(), UserAgent: d.GetDevice().GetUserAgent(), IPAddress: d.GetDevice().GetIpAddress(),
		CreatedAt: d.GetCreatedAt().AsTime(), LastActiveAt: d.GetLastActiveAt().AsTime(),
	}
}

func (h *handlers) revokeDevice(c *gin.Context, req wire.RevokeDeviceRequest) error {
	if _, err := h.Identity.RevokeDevice(c.Request.Context(), &identityv1.RevokeDeviceRequest{DeviceId: req.DeviceID}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}
