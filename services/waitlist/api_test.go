package waitlist_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	dto "github.com/prometheus/client_model/go"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/waittest"
)

func TestWhoMayCallWhat(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	own := r.joined(s, "user@example.com")
	_, userToken := r.issuer.User("user@example.com")
	disabledID, disabledToken := r.issuer.Admin("former@example.com")
	r.issuer.Disable(disabledID)
	expired := r.issuer.Token(uuid.NewString(), "user@example.com", func(claims *authn.Claims, _ map[string]any) {
		claims.ExpiresAt.Time = claims.IssuedAt.Add(-time.Hour)
	})
	callers := map[string]context.Context{
		"nobody": t.Context(), "expired": r.as(expired), "user": r.as(userToken), "disabled admin": r.as(disabledToken), "admin": r.asAdmin(),
	}
	methods := map[string]func(context.Context) error{
		"Join": func(ctx context.Context) error {
			_, err := s.Join(ctx, &waitlistv1.JoinRequest{Email: "ada@example.com", Source: waitlistv1.Source_SOURCE_CTA_SECTION})
			return err
		},
		"GetStatus": func(ctx context.Context) error {
			_, err := s.GetStatus(ctx, &waitlistv1.GetStatusRequest{})
			return err
		},
		"AddUser": func(ctx context.Context) error {
			_, err := s.AddUser(ctx, &waitlistv1.AddUserRequest{Email: "bob@example.com"})
			return err
		},
		"ListUsers": func(ctx context.Context) error {
			_, err := s.ListUsers(ctx, &waitlistv1.ListUsersRequest{})
			return err
		},
		"ApproveUser": func(ctx context.Context) error {
			_, err := s.ApproveUser(ctx, &waitlistv1.ApproveUserRequest{Id: own})
			return err
		},
		"RemoveUser": func(ctx context.Context) error {
			_, err := s.RemoveUser(ctx, &waitlistv1.RemoveUserRequest{Id: own})
			return err
		},
	}
	forAdmins := map[string]fault.Kind{
		"nobody": fault.Unauthenticated, "expired": fault.Unauthenticated, "user": fault.Forbidden, "disabled admin": fault.Forbidden,
	}
	refused := map[string]map[string]fault.Kind{
		"Join":        {"expired": fault.Unauthenticated},
		"GetStatus":   {"nobody": fault.Unauthenticated, "expired": fault.Unauthenticated, "disabled admin": fault.Forbidden},
		"AddUser":     forAdmins,
		"ListUsers":   forAdmins,
		"ApproveUser": forAdmins,
		"RemoveUser":  forAdmins,
	}
	for _, method := range []string{"Join", "GetStatus", "AddUser", "ListUsers", "ApproveUser", "RemoveUser"} {
		for caller, ctx := range callers {
			err := methods[method](ctx)
			if want := refused[method][caller]; want == "" && err != nil || want != "" && !errors.Is(err, want) {
				t.Errorf("%s by %s: got %v, want %q", method, caller, err, want)
			}
		}
	}
}

func TestTheWayOfAnEntry(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	_, token := r.issuer.User("ada@example.com")
	status := func() waitlistv1.Status {
		resp, err := s.GetStatus(r.as(token), &waitlistv1.GetStatusRequest{})
		errtest.None(t, err)
		return resp.GetStatus()
	}
	expect := func(want waitlistv1.Status) {
		t.Helper()
		if got := status(); got != want {
			t.Errorf("status is %s, want %s", got, want)
		}
	}
	expect(waitlistv1.Status_STATUS_UNSPECIFIED)
	id := r.joined(s, " Ada@Example.com ")
	expect(waitlistv1.Status_STATUS_PENDING)
	r.approve(s, id)
	r.approve(s, id)
	expect(waitlistv1.Status_STATUS_APPROVED)
	r.remove(s, id)
	r.remove(s, id)
	expect(waitlistv1.Status_STATUS_REJECTED)
	if _, err := s.ApproveUser(r.asAdmin(), &waitlistv1.ApproveUserRequest{Id: id}); !errors.Is(err, fault.Conflict) {
		t.Errorf("approving a removed entry: %v", err)
	}
	r.join(s, "ada@example.com")
	expect(waitlistv1.Status_STATUS_REJECTED)
	added, err := s.AddUser(r.asAdmin(), &waitlistv1.AddUserRequest{Email: "ADA@example.com"})
	if err != nil || added.GetUser().GetId() != id {
		t.Fatalf("AddUser = %v, %v", added, err)
	}
	expect(waitlistv1.Status_STATUS_PENDING)
}

func TestBadSignupsAreInvalidAndHaveNoEffect(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	const hero = waitlistv1.Source_SOURCE_HERO_SECTION
	for name, tc := range map[string]struct {
		email  string
		source waitlistv1.Source
		field  string
	}{
		"no address":         {"", hero, "email"},
		"blank address":      {"   ", hero, "email"},
		"no domain":          {"ada", hero, "email"},
		"header injection":   {"a@b.co\r\nBcc: v@x.co", hero, "email"},
		"NUL":                {"a\x00@b.co", hero, "email"},
		"long":               {strings.Repeat("a", 10_000), hero, "email"},
		"SQL":                {"' OR 1=1--", hero, "email"},
		"no source":          {"ada@example.com", waitlistv1.Source_SOURCE_UNSPECIFIED, "source"},
		"staff's own source": {"ada@example.com", waitlistv1.Source_SOURCE_ADMIN, "source"},
		"import":             {"ada@example.com", waitlistv1.Source_SOURCE_IMPORT, "source"},
		"unknown source":     {"ada@example.com", 999, "source"},
	} {
		_, err := s.Join(t.Context(), &waitlistv1.JoinRequest{Email: tc.email, Source: tc.source})
		f := fault.Of(err)
		if err == nil || f.Kind != fault.Invalid || len(f.Fields) != 1 || f.Fields[0].Name != tc.field || f.Message == "" {
			t.Errorf("%s: got %v, want one invalid field %s", name, err, tc.field)
		}
	}
	if rows := r.count("SELECT count(*) FROM waitlist_users"); rows != 0 {
		t.Errorf("%d rows", rows)
	}
}

func TestBadAdminRequestsAreInvalidOrNotFound(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	ctx := r.asAdmin()
	for id, want := range map[string]fault.Kind{
		"": fault.Invalid, "42": fault.Invalid, "urn:uuid:" + uuid.NewString(): fault.Invalid, "{" + uuid.NewString() + "}": fault.Invalid,
		uuid.Nil.String(): fault.NotFound, uuid.NewString(): fault.NotFound,
	} {
		if _, err := s.ApproveUser(ctx, &waitlistv1.ApproveUserRequest{Id: id}); !errors.Is(err, want) {
			t.Errorf("approving %q: %v, want %s", id, err, want)
		}
		if _, err := s.RemoveUser(ctx, &waitlistv1.RemoveUserRequest{Id: id}); !errors.Is(err, want) {
			t.Errorf("removing %q: %v, want %s", id, err, want)
		}
	}
	if _, err := s.AddUser(ctx, &waitlistv1.AddUserRequest{Email: "x"}); !errors.Is(err, fault.Invalid) {
		t.Errorf("adding a bad address: %v", err)
	}
	for name, req := range map[string]*waitlistv1.ListUsersRequest{
		"unknown status":  {Status: 999},
		"negative limit":  {Limit: -1},
		"excessive limit": {Limit: 101},
		"bad cursor":      {Cursor: "nonsense"},
		"foreign cursor":  {Cursor: keyset.Format('u').Encode(keyset.Start)},
		"long search":     {Search: strings.Repeat("a", 255)},
	} {
		if _, err := s.ListUsers(ctx, req); !errors.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.ListUsers(ctx, &waitlistv1.ListUsersRequest{Search: strings.Repeat("я", 254)}); err != nil {
		t.Errorf("as many characters as may be, in more bytes: %v", err)
	}
}

func TestTheListGoesOnWhereTheCursorSays(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	for n := range 5 {
		r.join(s, fmt.Sprintf("person%d@example.com", n))
	}
	var walked []string
	for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
		resp, err := s.ListUsers(r.asAdmin(), &waitlistv1.ListUsersRequest{
			Status: waitlistv1.Status_STATUS_PENDING, Search: "PERSON", Cursor: cursor, Limit: 2,
		})
		errtest.None(t, err)
		for _, u := range resp.GetUsers() {
			walked = append(walked, u.GetEmail())
			if u.GetSource() != waitlistv1.Source_SOURCE_HERO_SECTION || u.GetCreatedAt().AsTime().IsZero() {
				t.Errorf("entry %v", u)
			}
		}
		cursor = resp.GetNextCursor()
	}
	if got := strings.Join(walked, " "); got != "person4@example.com person3@example.com person2@example.com person1@example.com person0@example.com" {
		t.Errorf("walked %s", got)
	}
}

func TestSignupsAreCountedByOutcome(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	for _, address := range []string{"ada@example.com", "ada@example.com", "bob@example.com", "nonsense"} {
		_, _ = s.Join(t.Context(), &waitlistv1.JoinRequest{Email: address, Source: waitlistv1.Source_SOURCE_CTA_SECTION})
	}
	got := map[string]float64{}
	families, err := s.rt.Metrics.Gather()
	errtest.None(t, err)
	for _, family := range families {
		if family.GetName() == "waitlist_signups_total" {
			for _, m := range family.GetMetric() {
				got[label(m, "outcome")] = m.GetCounter().GetValue()
			}
		}
	}
	if want := map[string]float64{"new": 2, "unconfirmed": 0, "confirmed": 0, "known": 1, "invalid": 1, "unavailable": 0, "canceled": 0}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("counted %v, want %v", got, want)
	}
}

func TestAcknowledgedSignupsSurviveAKill(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.spawn()
	var mu sync.Mutex
	var acknowledged []string
	var wg sync.WaitGroup
	for caller := range 16 {
		wg.Go(func() {
			for n := 0; ; n++ {
				address := fmt.Sprintf("person%d-%d@example.com", caller, n)
				_, err := s.Join(t.Context(), &waitlistv1.JoinRequest{Email: address, Source: waitlistv1.Source_SOURCE_HERO_SECTION})
				if err != nil {
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, address)
				mu.Unlock()
			}
		})
	}
	waittest.Eventually(t, "300 sign-ups are acknowledged", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(acknowledged) >= 300
	})
	s.kill()
	wg.Wait()
	if n := r.count(`SELECT count(*) FROM waitlist_users WHERE email = ANY ($1)`, acknowledged); n != len(acknowledged) {
		t.Errorf("%d sign-ups were acknowledged, %d are there", len(acknowledged), n)
	}
}

func label(m *dto.Metric, name string) string {
	for _, pair := range m.GetLabel() {
		if pair.GetName() == name {
			return pair.GetValue()
		}
	}
	return ""
}
