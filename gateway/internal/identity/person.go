package identity

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
)

func (h *handlers) getPerson(c *gin.Context) error {
	person := route.Query(c).Get("person")
	ctx := c.Request.Context()
	resp, err := h.Identity.GetPerson(ctx, &identityv1.GetPersonRequest{IdOrEmail: person})
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		if claimed := h.claimedWith(ctx, person); claimed != "" {
			resp, err = h.Identity.GetPerson(ctx, &identityv1.GetPersonRequest{IdOrEmail: claimed})
		}
	}
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, adminUserOf(resp.GetUser()))
	return nil
}

// claimedWith returns the address of the account that uses the invitation to another address, "" if
// none does or the waitlist cannot say. No account has that other address.
func (h *handlers) claimedWith(ctx context.Context, invited string) string {
	invited, err := address.Parse(invited)
	if err != nil {
		return ""
	}
	resp, err := h.Waitlist.ListUsers(ctx, &waitlistv1.ListUsersRequest{Search: invited})
	if err != nil {
		return ""
	}
	for _, u := range resp.GetUsers() {
		if u.GetEmail() == invited {
			return u.GetClaimedEmail()
		}
	}
	return ""
}

func (h *handlers) getPersonDevices(c *gin.Context) error {
	id, err := route.UUID("userId", route.Query(c).Get("userId"))
	if err != nil {
		return err
	}
	resp, err := h.Identity.ListUserDevices(c.Request.Context(), &identityv1.ListUserDevicesRequest{UserId: id})
	if err != nil {
		return err
	}
	answer := wire.PersonDevices{
		Devices: route.Each(resp.GetDevices(), deviceOf), SignIns: make([]wire.PastSignIn, 0, len(resp.GetSignIns())),
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

func (h *handlers) revokePersonDevice(c *gin.Context, req wire.RevokePersonDeviceRequest) error {
	if _, err := h.Identity.RevokeUserDevice(c.Request.Context(), &identityv1.RevokeUserDeviceRequest{
		UserId: req.UserID, DeviceId: req.DeviceID, Reason: req.Reason,
	}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}

func (h *handlers) signOutPerson(c *gin.Context, req wire.PersonActionRequest) error {
	resp, err := h.Identity.SignOutUser(c.Request.Context(), &identityv1.SignOutUserRequest{UserId: req.UserID, Reason: req.Reason})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SignOutPersonAnswer{Ended: int64(resp.GetEnded())})
	return nil
}

func (h *handlers) setPersonState(c *gin.Context, req wire.SetPersonStateRequest) error {
	resp, err := h.Identity.SetUserState(c.Request.Context(), &identityv1.SetUserStateRequest{
		UserId: req.UserID, State: route.Enum[identityv1.UserState](req.State), Reason: req.Reason,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, adminUserOf(resp.GetUser()))
	return nil
}

func (h *handlers) deletePerson(c *gin.Context, req wire.PersonActionRequest) error {
	resp, err := h.Identity.DeleteUser(c.Request.Context(), &identityv1.DeleteUserRequest{UserId: req.UserID, Reason: req.Reason})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, adminUserOf(resp.GetUser()))
	return nil
}
