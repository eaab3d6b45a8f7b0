package identity

import (
	"net/http"
	"time"

	"fledge.dev/services/platform/enum"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

type signedInDevice struct {
	ID           string    `json:"id"`
	Kind         string    `json:"kind"`
	Name         string    `json:"name"`
	UserAgent    string    `json:"user_agent"`
	IPAddress    string    `json:"ip_address"`
	CreatedAt    time.Time `json:"created_at"`
	LastActiveAt time.Time `json:"last_active_at"`
	Current      bool      `json:"current"`
}

type deviceList struct {
	Data []signedInDevice `json:"data"`
}

func (h *handlers) getDevices(c *gin.Context) error {
	resp, err := h.identity.ListDevices(c.Request.Context(), &identityv1.ListDevicesRequest{})
	if err != nil {
		return err
	}
	list := deviceList{Data: make([]signedInDevice, 0, len(resp.GetDevices()))}
	for _, d := range resp.GetDevices() {
		list.Data = append(list.Data, signedInDevice{
			ID: d.GetId(), Kind: enum.Name(d.GetKind()), Current: d.GetCurrent(),
			Name: d.GetDevice().GetName(), UserAgent: d.GetDevice().GetUserAgent(), IPAddress: d.GetDevice().GetIpAddress(),
			CreatedAt: d.GetCreatedAt().AsTime(), LastActiveAt: d.GetLastActiveAt().AsTime(),
		})
	}
	c.JSON(http.StatusOK, list)
	return nil
}

type revokeDeviceRequest struct {
	DeviceID string `json:"device_id"`
}

func (h *handlers) revokeDevice(c *gin.Context) error {
	req, err := jsonbody.Decode[revokeDeviceRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	id, err := route.UUID("device_id", req.DeviceID)
	if err != nil {
		return err
	}
	if _, err := h.identity.RevokeDevice(c.Request.Context(), &identityv1.RevokeDeviceRequest{DeviceId: id}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}
