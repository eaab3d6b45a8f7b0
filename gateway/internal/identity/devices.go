package identity

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/enum"
)

func (h *handlers) getDevices(c *gin.Context) error {
	resp, err := h.identity.ListDevices(c.Request.Context(), &identityv1.ListDevicesRequest{})
	if err != nil {
		return err
	}
	list := wire.DeviceList{Data: make([]wire.Device, 0, len(resp.GetDevices()))}
	for _, d := range resp.GetDevices() {
		list.Data = append(list.Data, deviceOf(d))
	}
	c.JSON(http.StatusOK, list)
	return nil
}

func deviceOf(d *identityv1.SignedInDevice) wire.Device {
	return wire.Device{
		ID: d.GetId(), Kind: wire.DeviceKind(enum.Name(d.GetKind())), Current: d.GetCurrent(),
		Name: d.GetDevice().GetName(), UserAgent: d.GetDevice().GetUserAgent(), IPAddress: d.GetDevice().GetIpAddress(),
		CreatedAt: d.GetCreatedAt().AsTime(), LastActiveAt: d.GetLastActiveAt().AsTime(),
	}
}

func (h *handlers) revokeDevice(c *gin.Context) error {
	req, err := jsonbody.Decode[wire.RevokeDeviceRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	if _, err := h.identity.RevokeDevice(c.Request.Context(), &identityv1.RevokeDeviceRequest{DeviceId: req.DeviceID}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}
