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

const maxRoles = 3

func adminUserOf(u *identityv1.ListedUser) wire.AdminUser {
	answer := wire.AdminUser{
		ID: u.GetUser().GetId(), Email: u.GetUser().GetEmail(), Provider: u.GetUser().GetProvider(), Roles: []wire.Role{},
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
	resp, err := h.identity.ListUsers(c.Request.Context(), &identityv1.ListUsersRequest{
		Search: page.Search, Role: role, Cursor: page.Cursor, Limit: page.Limit,
	})
	if err != nil {
		return err
	}
	answer := wire.AdminUserPage{Data: make([]wire.AdminUser, 0, len(resp.GetUsers())), NextCursor: route.OrNull(resp.GetNextCursor())}
	for _, u := range resp.GetUsers() {
		answer.Data = append(answer.Data, adminUserOf(u))
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

func (h *handlers) setUserRoles(c *gin.Context) error {
	req, err := jsonbody.Decode[wire.SetUserRolesRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	held, err := rolesOf(req.Roles)
	if err != nil {
		return err
	}
	resp, err := h.identity.SetUserRoles(c.Request.Context(), &identityv1.SetUserRolesRequest{UserId: req.UserID, Roles: held})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SetUserRolesAnswer{Message: "Roles updated successfully", Data: adminUserOf(resp.GetUser())})
	return nil
}

// rolesOf reads roles, which are required: a request without them must not remove all.
func rolesOf(names []wire.Role) ([]identityv1.Role, error) {
	if names == nil || len(names) > maxRoles {
		return nil, route.Invalid("roles", "is not a list of up to 3 roles")
	}
	held := make([]identityv1.Role, 0, maxRoles)
	for _, name := range names {
		role := enum.Of[identityv1.Role](name)
		if enum.Name(role) == "" {
			return nil, route.Invalid("roles", "has a role that is not admin, moderator or user")
		}
		held = append(held, role)
	}
	return held, nil
}
