package identity_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

const (
	user      = identityv1.Role_ROLE_USER
	moderator = identityv1.Role_ROLE_MODERATOR
	admin     = identityv1.Role_ROLE_ADMIN
)

func TestAdminsListUsersWithTheirRoles(t *testing.T) {
	r := newRig(t)
	boss := r.session(r.kratos.signIn("boss@fledge.test", true))
	ann := r.session(r.kratos.signIn("ann@example.com", true))
	bob := r.session(r.kratos.signIn("bob@example.com", true))
	ctx := r.as(boss)

	var seen []string
	for cursor := ""; ; {
		page, err := r.ListUsers(ctx, &identityv1.ListUsersRequest{Cursor: cursor, Limit: 1})
		if err != nil || len(page.GetUsers()) != 1 {
			t.Fatalf("page %v, %v", page, err)
		}
		seen = append(seen, page.GetUsers()[0].GetUser().GetEmail())
		if cursor = page.GetNextCursor(); cursor == "" {
			break
		}
	}
	if want := []string{"bob@example.com", "ann@example.com", "boss@fledge.test"}; !slices.Equal(seen, want) {
		t.Errorf("walked %v, want %v", seen, want)
	}
	for name, tc := range map[string]struct {
		req  *identityv1.ListUsersRequest
		want int
	}{
		"all":               {&identityv1.ListUsersRequest{}, 3},
		"users":             {&identityv1.ListUsersRequest{Role: user}, 3},
		"admins":            {&identityv1.ListUsersRequest{Role: admin}, 1},
		"moderators":        {&identityv1.ListUsersRequest{Role: moderator}, 0},
		"by address":        {&identityv1.ListUsersRequest{Search: " ANN@ "}, 1},
		"by a pasted line":  {&identityv1.ListUsersRequest{Search: "\x1b[1mann@\x00\r\n"}, 1},
		"by a wildcard":     {&identityv1.ListUsersRequest{Search: "%"}, 0},
		"by both":           {&identityv1.ListUsersRequest{Search: "fledge", Role: admin}, 1},
		"by SQL":            {&identityv1.ListUsersRequest{Search: "' OR 1=1--"}, 0},
		"by wide letters":   {&identityv1.ListUsersRequest{Search: "ＡＮＮ"}, 1},
		"by much of them":   {&identityv1.ListUsersRequest{Search: strings.Repeat("я", 254)}, 0},
		"as many as can be": {&identityv1.ListUsersRequest{Limit: 100}, 3},
	} {
		page, err := r.ListUsers(ctx, tc.req)
		if err != nil || len(page.GetUsers()) != tc.want || page.GetNextCursor() != "" {
			t.Errorf("%s: %v, %v; want %d", name, page, err, tc.want)
		}
	}
	for reason, req := range map[string]*identityv1.ListUsersRequest{
		"invalid_limit":  {Limit: 101},
		"invalid_role":   {Role: 9},
		"invalid_cursor": {Cursor: "MQ"},
		"invalid_search": {Search: strings.Repeat("я", 255)},
	} {
		_, err := r.ListUsers(ctx, req)
		if !errors.Is(err, fault.Invalid) || fault.Of(err).Reason != reason {
			t.Errorf("%s: %v", reason, err)
		}
	}
	for name, req := range map[string]*identityv1.ListUsersRequest{
		"negative limit": {Limit: -1}, "long search": {Search: strings.Repeat("a", 255)}, "long cursor": {Cursor: strings.Repeat("A", 1<<16)},
		"cursor of the audit log": {Cursor: keyset.Format('a').Encode(keyset.Start)},
	} {
		if _, err := r.ListUsers(ctx, req); !errors.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Only staff looks, and only admins change roles.
	r.setRoles(boss, ann, moderator)
	if _, err := r.ListUsers(r.as(ann), &identityv1.ListUsersRequest{}); err != nil {
		t.Errorf("a moderator may not look: %v", err)
	}
	for name, ctx := range map[string]context.Context{"a user": r.as(bob), "nobody": t.Context()} {
		if _, err := r.ListUsers(ctx, &identityv1.ListUsersRequest{}); !errors.Is(err, fault.Forbidden) && !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("%s may look: %v", name, err)
		}
	}
	for name, ctx := range map[string]context.Context{"a moderator": r.as(ann), "nobody": t.Context()} {
		req := &identityv1.SetUserRolesRequest{UserId: ann.GetUser().GetId(), Roles: []identityv1.Role{admin}}
		if _, err := r.SetUserRoles(ctx, req); !errors.Is(err, fault.Forbidden) && !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("%s may make admins: %v", name, err)
		}
	}
}

// setRoles is what by does to the roles of whom.
func (r *rig) setRoles(by, whom *identityv1.Session, roles ...identityv1.Role) *identityv1.ListedUser {
	r.t.Helper()
	resp, err := r.SetUserRoles(r.as(by), &identityv1.SetUserRolesRequest{UserId: whom.GetUser().GetId(), Roles: roles, Reason: "because"})
	errtest.None(r.t, err)
	return resp.GetUser()
}

func TestAdminsMakeAndUnmakeAdmins(t *testing.T) {
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	if got := r.setRoles(boss, ann, admin, moderator); !slices.Equal(got.GetRoles(), []identityv1.Role{admin, moderator, user}) || got.GetUser().GetEmail() != "ann@example.com" {
		t.Errorf("got %v", got)
	}
	// Her new role works at once, also against its giver.
	if got := r.setRoles(ann, boss); !slices.Equal(got.GetRoles(), []identityv1.Role{user}) {
		t.Errorf("got %v", got)
	}
	if _, err := r.ListUsers(r.as(boss), &identityv1.ListUsersRequest{}); !errors.Is(err, fault.Forbidden) {
		t.Errorf("no admin any more: %v", err)
	}
	_, err := r.SetUserRoles(r.as(ann), &identityv1.SetUserRolesRequest{UserId: ann.GetUser().GetId(), Roles: []identityv1.Role{moderator}, Reason: "because"})
	if f := fault.Of(err); !errors.Is(err, fault.Conflict) || f.Reason != "last_admin" || f.Message != "There must be at least one admin." {
		t.Errorf("the last one leaves: %v", err)
	}
	for reason, req := range map[string]*identityv1.SetUserRolesRequest{
		"unknown_user":    {UserId: uuid.NewString(), Reason: "because"},
		"invalid_reason":  {UserId: ann.GetUser().GetId()},
		"invalid_user_id": {UserId: "urn:uuid:" + ann.GetUser().GetId()},
	} {
		if _, err := r.SetUserRoles(r.as(ann), req); err == nil || fault.Of(err).Reason != reason {
			t.Errorf("%s: %v", reason, err)
		}
	}
	for _, roles := range [][]identityv1.Role{{admin, 0}, {admin, -1}, {9}, {admin, moderator, user, user}} {
		_, err := r.SetUserRoles(r.as(ann), &identityv1.SetUserRolesRequest{UserId: ann.GetUser().GetId(), Roles: roles})
		if f := fault.Of(err); f == nil || f.Reason != "invalid_roles" || len(f.Fields) != 1 || f.Fields[0].Name != "roles" {
			t.Errorf("%v: %v", roles, err)
		}
	}
}

// TestALostRoleIsForgottenBeforeItExpires plays another service: what it
// remembers of an admin lasts for five seconds, unless the event comes first.
func TestALostRoleIsForgottenBeforeItExpires(t *testing.T) {
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	r.setRoles(boss, ann, admin)

	conn, err := rpc.Dial(r.grpc, rpc.ClientConfig{InternalToken: internalToken})
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	other := identityclient.New(conn)
	rt := service.NewRuntime("billing", "test", slog.New(slog.DiscardHandler))
	r.runBus(rt, func(conn *bus.Conn) service.Unit { return other.Watch(conn) })
	isAdmin := func() bool {
		rights, err := other.CheckAccess(t.Context(), r.principal(ann))
		errtest.None(t, err)
		return rights.Admin
	}
	// The event of a change that matters to nobody shows that the watch stands.
	waittest.Eventually(t, "the watch stands", func() bool {
		r.setRoles(boss, boss, admin, moderator)
		r.setRoles(boss, boss, admin)
		return watching(rt)
	})
	// The cached answer would also expire, after five seconds: sooner can only be the
	// event. On a busy machine it may take a few tries to see that.
	forgotten := func() bool {
		r.setRoles(boss, ann, admin)
		other.Reset()
		remembered := time.Now()
		if !isAdmin() {
			t.Fatal("not an admin to begin with")
		}
		r.setRoles(boss, ann)
		waittest.Eventually(t, "the role is forgotten", func() bool { return !isAdmin() })
		return time.Since(remembered) < 5*time.Second
	}
	waittest.Eventually(t, "the event ends a role before its expiry does", forgotten)
}

// watching reports whether the watch has handled an event.
func watching(rt *service.Runtime) bool {
	families, err := rt.Metrics.Gather()
	if err != nil {
		return false
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "consumer" && l.GetValue() == "roles" && m.GetCounter().GetValue() > 0 {
					return true
				}
			}
		}
	}
	return false
}
