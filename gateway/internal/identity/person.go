package identity

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/enum"
)

func (h *handlers) getPerson(c *gin.Context) error {
	person := route.Query(c).Get("person")
	if err := route.Needed("person", person, maxPerson); err != nil {
		return err
	}
	resp, err := h.identity.GetPerson(c.Request.Context(), &identityv1.GetPersonRequest{IdOrEmail: person})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, adminUserOf(resp.GetUser()))
	return nil
}

// maxPerson is the length of the longest address.
const maxPerson = 254

func (h *handlers) getPersonDevices(c *gin.Context) error {
	id, err := route.UUID("userId", route.Query(c).Get("userId"))
	if err != nil {
		return err
	}
	resp, err := h.identity.ListUserDevices(c.Request.Context(), &identityv1.ListUserDevicesRequest{UserId: id})
	if err != nil {
		return err
	}
	answer := wire.PersonDevices{
		Devices: make([]wire.Device, 0, len(resp.GetDevices())), SignIns: make([]wire.PastSignIn, 0, len(resp.GetSignIns())),
	}
	for _, d := range resp.GetDevices() {
		answer.Devices = append(answer.Devices, deviceOf(d))
	}
	for _, in := range resp.GetSignIns() {
		answer.SignIns = append(answer.SignIns, wire.PastSignIn{
			ID: in.GetId(), Kind: wire.PastSignInKind(enum.Name(in.GetKind())), Name: in.GetDevice().GetName(),
			UserAgent: in.GetDevice().GetUserAgent(), IPAddress: in.GetDevice().GetIpAddress(),
			At: in.GetAt().AsTime(), EndedAt: route.TimeOrNull(in.GetEndedAt()),
		})
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

func (h *handlers) revokePersonDevice(c *gin.Context) error {
	req, err := jsonbody.Decode[wire.RevokePersonDeviceRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	if _, err := h.identity.RevokeUserDevice(c.Request.Context(), &identityv1.RevokeUserDeviceRequest{
		UserId: req.UserID, DeviceId: req.DeviceID, Reason: req.Reason,
	}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}

func (h *handlers) signOutPerson(c *gin.Context) error {
	req, err := jsonbody.Decode[wire.PersonActionRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	resp, err := h.identity.SignOutUser(c.Request.Context(), &identityv1.SignOutUserRequest{UserId: req.UserID, Reason: req.Reason})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SignOutPersonAnswer{Ended: int64(resp.GetEnded())})
	return nil
}

func (h *handlers) setPersonState(c *gin.Context) error {
	req, err := jsonbody.Decode[wire.SetPersonStateRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	resp, err := h.identity.SetUserState(c.Request.Context(), &identityv1.SetUserStateRequest{
		UserId: req.UserID, State: route.Enum[identityv1.UserState](req.State), Reason: req.Reason,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, adminUserOf(resp.GetUser()))
	return nil
}

func (h *handlers) deletePerson(c *gin.Context) error {
	req, err := jsonbody.Decode[wire.PersonActionRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	resp, err := h.identity.DeleteUser(c.Request.Context(), &identityv1.DeleteUserRequest{UserId: req.UserID, Reason: req.Reason})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, adminUserOf(resp.GetUser()))
	return nil
}
