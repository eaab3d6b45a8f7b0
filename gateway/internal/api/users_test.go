package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

func aListedUser() *identityv1.ListedUser {
	at := timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	return &identityv1.ListedUser{
		User:  &identityv1.User{Id: anyID, Email: "zoe@example.com", Provider: "google", CreatedAt: at, LastSignInAt: at, EmailConfirmedAt: at},
		Roles: []identityv1.Role{identityv1.Role_ROLE_ADMIN, identityv1.Role_ROLE_USER},
	}
}

const listedUser = `{"id":"` + anyID + `","email":"zoe@example.com","provider":"google","roles":["admin","user"],
	"created_at":"2026-01-02T03:04:05Z","last_sign_in_at":"2026-01-02T03:04:05Z","email_confirmed_at":"2026-01-02T03:04:05Z"}`

func TestGetUsersWithRoles(t *testing.T) {
	g := start(t)
	_, admin := g.issuer.Admin("admin@example.com")
	g.get("/api/get-users-with-roles", bearer(admin)).is(http.StatusOK, `{"data":[],"nextCursor":null}`)
	g.identity.users = &identityv1.ListUsersResponse{NextCursor: "c2", Users: []*identityv1.ListedUser{aListedUser()}}
	for query, want := range map[string]*identityv1.ListUsersRequest{
		"":                                    {Limit: 100},
		"?role=all":                           {Limit: 100},
		"?role=&search=&cursor=":              {Limit: 100},
		"?role=admin&search=%25&limit=7":      {Limit: 7, Role: identityv1.Role_ROLE_ADMIN, Search: "%"},
		"?role=moderator&cursor=c1&limit=100": {Limit: 100, Role: identityv1.Role_ROLE_MODERATOR, Cursor: "c1"},
		"?role=user&search='%20OR%201=1--":    {Limit: 100, Role: identityv1.Role_ROLE_USER, Search: "' OR 1=1--"},
	} {
		g.get("/api/get-users-with-roles"+query, bearer(admin)).is(http.StatusOK, `{"data":[`+listedUser+`],"nextCursor":"c2"}`)
		if got, _ := g.identity.last(); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("%s: identity was asked %v, want %v", query, got, want)
		}
	}
}

func TestGetUsersWithRolesRefuses(t *testing.T) {
	g := start(t)
	_, admin := g.issuer.Admin("admin@example.com")
	for query, code := range map[string]string{
		"role=ADMIN":                         "invalid_role",
		"role=owner":                         "invalid_role",
		"role=admin&role=user":               "invalid_query",
		"role[]=admin":                       "unknown_parameter",
		"status=all":                         "unknown_parameter",
		"userId=" + anyID:                    "unknown_parameter",
		"limit=0":                            "invalid_limit",
		"limit=-1":                           "invalid_limit",
		"limit=101":                          "invalid_limit",
		"limit=":                             "invalid_limit",
		"limit=1e2":                          "invalid_limit",
		"limit=99999999999999999999":         "invalid_limit",
		"search=" + strings.Repeat("x", 255): "invalid_search",
		"cursor=" + strings.Repeat("x", 513): "invalid_cursor",
		"search=%00":                         "invalid_query",
		"search=%ff":                         "invalid_query",
		"search=%zz":                         "invalid_query",
		"search=a;b":                         "invalid_query",
	} {
		g.get("/api/get-users-with-roles?"+query, bearer(admin)).fails(http.StatusBadRequest, code)
	}
	if g.identity.count() != 0 {
		t.Error("a refused request reached identity")
	}
}

func TestSetUserRoles(t *testing.T) {
	g := start(t)
	id, admin := g.issuer.Admin("admin@example.com")
	g.identity.user = aListedUser()
	for list, want := range map[string][]identityv1.Role{
		`[]`:                           nil,
		`["user"]`:                     {identityv1.Role_ROLE_USER},
		`["admin","moderator","user"]`: {identityv1.Role_ROLE_ADMIN, identityv1.Role_ROLE_MODERATOR, identityv1.Role_ROLE_USER},
		`["\u0061dmin"]`:               {identityv1.Role_ROLE_ADMIN},
		`["moderator","moderator"]`:    {identityv1.Role_ROLE_MODERATOR, identityv1.Role_ROLE_MODERATOR},
	} {
		g.post("/api/set-user-roles", `{"userId":"`+strings.ToUpper(anyID)+`","roles":`+list+`}`, bearer(admin)).
			is(http.StatusOK, `{"message":"Roles updated successfully","data":`+listedUser+`}`)
		got, caller := g.identity.last()
		if asked := (&identityv1.SetUserRolesRequest{UserId: anyID, Roles: want}); !proto.Equal(got.(proto.Message), asked) || caller.UserID != id {
			t.Errorf("%s: identity was asked %v as %v, want %v", list, got, caller, asked)
		}
	}
	for status, f := range map[int]*fault.Error{
		404: fault.New(fault.NotFound, "user_not_found", "There is no such account."),
		409: fault.New(fault.Conflict, "last_admin", "Somebody has to stay an admin."),
	} {
		g.identity.fail(f)
		g.post("/api/set-user-roles", `{"userId":"`+anyID+`","roles":[]}`, bearer(admin)).fails(status, f.Reason)
	}
}

func TestSetUserRolesRefuses(t *testing.T) {
	g := start(t)
	_, admin := g.issuer.Admin("admin@example.com")
	long := strings.Repeat("x", 10_000)
	for body, code := range map[string]string{
		`{"roles":["admin"]}`:                                              "invalid_user_id",
		`{"userId":"","roles":["admin"]}`:                                  "invalid_user_id",
		`{"userId":"42","roles":["admin"]}`:                                "invalid_user_id",
		`{"userId":"` + long + `","roles":["admin"]}`:                      "invalid_user_id",
		`{"userId":"urn:uuid:` + anyID + `","roles":["admin"]}`:            "invalid_user_id",
		`{"userId":["` + anyID + `"],"roles":["admin"]}`:                   "invalid_type",
		`{"userId":42,"roles":["admin"]}`:                                  "invalid_type",
		`{"userId":"` + anyID + `"}`:                                       "invalid_roles",
		`{"userId":"` + anyID + `","roles":null}`:                          "invalid_roles",
		`{"userId":"` + anyID + `","roles":[null]}`:                        "invalid_roles",
		`{"userId":"` + anyID + `","roles":[""]}`:                          "invalid_roles",
		`{"userId":"` + anyID + `","roles":["Admin"]}`:                     "invalid_roles",
		`{"userId":"` + anyID + `","roles":["admin "]}`:                    "invalid_roles",
		`{"userId":"` + anyID + `","roles":["owner"]}`:                     "invalid_roles",
		`{"userId":"` + anyID + `","roles":["` + long + `"]}`:              "invalid_roles",
		`{"userId":"` + anyID + `","roles":["user","user","user","user"]}`: "invalid_roles",
		`{"userId":"` + anyID + `","roles":"admin"}`:                       "invalid_type",
		`{"userId":"` + anyID + `","roles":{"admin":true}}`:                "invalid_type",
		`{"userId":"` + anyID + `","roles":[["admin"]]}`:                   "invalid_type",
		`{"userId":"` + anyID + `","roles":[3]}`:                           "invalid_type",
		`{"userId":"` + anyID + `","roles":[],"roles":["admin"]}`:          "invalid_json",
		`{"userId":"` + anyID + `","roles":["admin\u0000"]}`:               "invalid_json",
		`{"userId":"` + anyID + `","Roles":["admin"]}`:                     "unknown_field",
		`{"userId":"` + anyID + `","roles":[],"isAdmin":true}`:             "unknown_field",
	} {
		g.post("/api/set-user-roles", body, bearer(admin)).fails(http.StatusBadRequest, code)
	}
	if g.identity.count() != 0 {
		t.Error("a refused request reached identity")
	}
}
