package identity

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/enum"
)

func adminUserOf(u *identityv1.ListedUser) wire.AdminUser {
	answer := wire.AdminUser{
		ID: u.GetUser().GetId(), Email: u.GetUser().GetEmail(), Provider: u.GetUser().GetProvider(), Roles: []wire.Role{},
		Providers: append([]string{}, u.GetUser().GetIdentities()...), State: wire.UserState(enum.Name(u.GetState())),
		DisabledAt: route.TimeOrNull(u.GetDisabledAt()), EraseAt: route.TimeOrNull(u.GetEraseAt()),
		DisabledBecause: route.OrNull(wire.DisabledReason(enum.Name(u.GetDisabledBecause()))), EmailOffSince: route.TimeOrNull(u.GetEmailOffSince()),
		CreatedAt: u.GetUser().GetCreatedAt().AsTime(), LastSignInAt: u.GetUser().GetLastSignInAt().AsTime(),
		EmailConfirmedAt: u.GetUser().GetEmailConfirmedAt().AsTime(),
	}
	for _, role := range u.GetRoles() {
		if name := enum.Name(role); name != "" {
			answer.Roles = append(answer.Roles, wire.Role(name))
		}
	}
	return answer
}

func (h *handlers) getUsersWithRoles(c *gin.Context) error {
	page, err := route.PageOf(c)
	if err != nil {
		return err
	}
	role, err := route.Filter[identityv1.Role](c, "role")
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	req := &identityv1.ListUsersRequest{Search: page.Search, Role: role, Cursor: page.Cursor, Limit: page.Limit}
	resp, err := h.Identity.ListUsers(ctx, req)
	if err == nil && len(resp.GetUsers()) == 0 && page.Cursor == "" {
		if req.Search = h.claimedWith(ctx, page.Search); req.Search != "" {
			resp, err = h.Identity.ListUsers(ctx, req)
		}
	}
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.AdminUserPage{Data: route.Each(resp.GetUsers(), adminUserOf), NextCursor: route.OrNull(resp.GetNextCursor())})
	return nil
}

func rolesOf(names []wire.Role) []identityv1.Role {
	return route.Each(names, route.Enum[identityv1.Role, wire.Role])
}

func (h *handlers) setUserRoles(c *gin.Context, req wire.SetUserRolesRequest) error {
	if req.Roles == nil { // must not remove all
		return route.Invalid("roles", "is missing")
	}
	change := &identityv1.SetUserRolesRequest{UserId: req.UserID, Roles: rolesOf(req.Roles), Reason: req.Reason}
	if req.SeenRoles != nil {
		change.SeenRoles = rolesOf(*req.SeenRoles)
	}
	resp, err := h.Identity.SetUserRoles(c.Request.Context(), change)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SetUserRolesAnswer{Message: "Roles updated successfully", Data: adminUserOf(resp.GetUser())})
	return nil
}
