package identity_test

import (
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

const listedUser = `{"id":"` + apitest.AnyID + `","email":"zoe@example.com","provider":"google","roles":["admin","user"],"providers":["google"],
	"state":"active","disabled_at":null,"disabled_because":null,"erase_at":null,"email_off_since":null,
	"created_at":"2026-01-02T03:04:05Z","last_sign_in_at":"2026-01-02T03:04:05Z","email_confirmed_at":"2026-01-02T03:04:05Z"}`

func TestGetUsersWithRoles(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Identity.Users = &identityv1.ListUsersResponse{}
	g.Get("/api/get-users-with-roles", apitest.Bearer(admin)).Is(http.StatusOK, `{"data":[],"nextCursor":null}`)
	g.Identity.Users = &identityv1.ListUsersResponse{NextCursor: "c2", Users: []*identityv1.ListedUser{apitest.AListedUser()}}
	for query, want := range map[string]*identityv1.ListUsersRequest{
		"":                                    {Limit: 100},
		"?role=all":                           {Limit: 100},
		"?role=&search=&cursor=":              {Limit: 100},
		"?role=admin&search=%25&limit=7":      {Limit: 7, Role: identityv1.Role_ROLE_ADMIN, Search: "%"},
		"?role=moderator&cursor=c1&limit=100": {Limit: 100, Role: identityv1.Role_ROLE_MODERATOR, Cursor: "c1"},
		"?role=user&search='%20OR%201=1--":    {Limit: 100, Role: identityv1.Role_ROLE_USER, Search: "' OR 1=1--"},
	} {
		g.Get("/api/get-users-with-roles"+query, apitest.Bearer(admin)).Is(http.StatusOK, `{"data":[`+listedUser+`],"nextCursor":"c2"}`)
		if got, _ := g.Identity.Last(); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("%s: identity was asked %v, want %v", query, got, want)
		}
	}
}

func TestGetUsersWithRolesRefuses(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for query, code := range map[string]string{
		"role=ADMIN":                 "invalid_role",
		"role=owner":                 "invalid_role",
		"role=admin&role=user":       "invalid_query",
		"role[]=admin":               "unknown_parameter",
		"status=all":                 "unknown_parameter",
		"userId=" + apitest.AnyID:    "unknown_parameter",
		"limit=0":                    "invalid_limit",
		"limit=-1":                   "invalid_limit",
		"limit=":                     "invalid_limit",
		"limit=1e2":                  "invalid_limit",
		"limit=99999999999999999999": "invalid_limit",
		"search=%00":                 "invalid_query",
		"search=%ff":                 "invalid_query",
		"search=%zz":                 "invalid_query",
		"search=a;b":                 "invalid_query",
	} {
		g.Get("/api/get-users-with-roles?"+query, apitest.Bearer(admin)).Fails(http.StatusBadRequest, code)
	}
	if g.Identity.Count() != 0 {
		t.Error("a refused request reached identity")
	}
}

func TestSetUserRoles(t *testing.T) {
	g := apitest.Start(t)
	id, admin := g.Issuer.Admin("admin@example.com")
	g.Identity.User = apitest.AListedUser()
	for list, want := range map[string][]identityv1.Role{
		`[]`:                           nil,
		`["user"]`:                     {identityv1.Role_ROLE_USER},
		`["admin","moderator","user"]`: {identityv1.Role_ROLE_ADMIN, identityv1.Role_ROLE_MODERATOR, identityv1.Role_ROLE_USER},
		`["\u0061dmin"]`:               {identityv1.Role_ROLE_ADMIN},
		`["owner"]`:                    {-1},
		`["moderator","moderator"]`:    {identityv1.Role_ROLE_MODERATOR, identityv1.Role_ROLE_MODERATOR},
	} {
		g.Post("/api/set-user-roles", `{"userId":"`+apitest.AnyID+`","reason":"because","roles":`+list+`}`, apitest.Bearer(admin)).
			Is(http.StatusOK, `{"message":"Roles updated successfully","data":`+listedUser+`}`)
		got, caller := g.Identity.Last()
		if asked := (&identityv1.SetUserRolesRequest{UserId: apitest.AnyID, Roles: want, Reason: "because"}); !proto.Equal(got.(proto.Message), asked) || caller.UserID != id {
			t.Errorf("%s: identity was asked %v as %v, want %v", list, got, caller, asked)
		}
	}
	for status, f := range map[int]*fault.Error{
		404: fault.New(fault.NotFound, "user_not_found", "There is no such account."),
		409: fault.New(fault.Conflict, "last_admin", "Somebody has to stay an admin."),
	} {
		g.Identity.Fail(f)
		g.Post("/api/set-user-roles", `{"userId":"`+apitest.AnyID+`","roles":[]}`, apitest.Bearer(admin)).Fails(status, f.Reason)
	}
}

func TestSetUserRolesRefuses(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for body, code := range map[string]string{
		`{"userId":["` + apitest.AnyID + `"],"roles":["admin"]}`:          "invalid_type",
		`{"userId":42,"roles":["admin"]}`:                                 "invalid_type",
		`{"userId":"` + apitest.AnyID + `"}`:                              "invalid_roles",
		`{"userId":"` + apitest.AnyID + `","roles":null}`:                 "invalid_roles",
		`{"userId":"` + apitest.AnyID + `","roles":"admin"}`:              "invalid_type",
		`{"userId":"` + apitest.AnyID + `","roles":{"admin":true}}`:       "invalid_type",
		`{"userId":"` + apitest.AnyID + `","roles":[["admin"]]}`:          "invalid_type",
		`{"userId":"` + apitest.AnyID + `","roles":[3]}`:                  "invalid_type",
		`{"userId":"` + apitest.AnyID + `","roles":[],"roles":["admin"]}`: "invalid_json",
		`{"userId":"` + apitest.AnyID + `","roles":["admin\u0000"]}`:      "invalid_json",
		`{"userId":"` + apitest.AnyID + `","Roles":["admin"]}`:            "unknown_field",
		`{"userId":"` + apitest.AnyID + `","roles":[],"isAdmin":true}`:    "unknown_field",
	} {
		g.Post("/api/set-user-roles", body, apitest.Bearer(admin)).Fails(http.StatusBadRequest, code)
	}
	if g.Identity.Count() != 0 {
		t.Error("a refused request reached identity")
	}
}
