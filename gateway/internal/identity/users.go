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

const maxRoles = 3

type adminUser struct {
	ID               string    `json:"id"`
	Email            string    `json:"email"`
	Provider         string    `json:"provider"`
	Roles            []string  `json:"roles"`
	CreatedAt        time.Time `json:"created_at"`
	LastSignInAt     time.Time `json:"last_sign_in_at"`
	EmailConfirmedAt time.Time `json:"email_confirmed_at"`
}

type adminUserPage struct {
	Data       []adminUser `json:"data"`
	NextCursor *string     `json:"nextCursor"`
}

func adminUserOf(u *identityv1.ListedUser) adminUser {
	answer := adminUser{
		ID: u.GetUser().GetId(), Email: u.GetUser().GetEmail(), Provider: u.GetUser().GetProvider(), Roles: []string{},
		CreatedAt: u.GetUser().GetCreatedAt().AsTime(), LastSignInAt: u.GetUser().GetLastSignInAt().AsTime(),
		EmailConfirmedAt: u.GetUser().GetEmailConfirmedAt().AsTime(),
	}
	for _, role := range u.GetRoles() {
		if name := enum.Name(role); name != "" {
			answer.Roles = append(answer.Roles, name)
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
	answer := adminUserPage{Data: make([]adminUser, 0, len(resp.GetUsers())), NextCursor: route.OrNull(resp.GetNextCursor())}
	for _, u := range resp.GetUsers() {
		answer.Data = append(answer.Data, adminUserOf(u))
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

type setUserRolesRequest struct {
	UserID string `json:"userId"`
	// Roles are required: a request without them must not remove all.
	Roles *[]string `json:"roles"`
}

type setUserRolesAnswer struct {
	Message string    `json:"message"`
	Data    adminUser `json:"data"`
}

func (h *handlers) setUserRoles(c *gin.Context) error {
	req, err := jsonbody.Decode[setUserRolesRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	id, err := route.UUID("userId", req.UserID)
	if err != nil {
		return err
	}
	held, err := req.roles()
	if err != nil {
		return err
	}
	resp, err := h.identity.SetUserRoles(c.Request.Context(), &identityv1.SetUserRolesRequest{UserId: id, Roles: held})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, setUserRolesAnswer{"Roles updated successfully", adminUserOf(resp.GetUser())})
	return nil
}

func (r setUserRolesRequest) roles() ([]identityv1.Role, error) {
	if r.Roles == nil || len(*r.Roles) > maxRoles {
		return nil, route.Invalid("roles", "is not a list of up to 3 roles")
	}
	held := make([]identityv1.Role, 0, maxRoles)
	for _, name := range *r.Roles {
		role := enum.Of[identityv1.Role](name)
		if enum.Name(role) == "" {
			return nil, route.Invalid("roles", "has a role that is not admin, moderator or user")
		}
		held = append(held, role)
	}
	return held, nil
}
