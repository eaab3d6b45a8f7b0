package waitlist_test

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

var claimLink = regexp.MustCompile(`/closed-beta#claim=([A-Za-z0-9_-]{43})`)

// invited approves an address and returns the token in the link of the latest email to it.
func (r *rig) invited(s instance, address string) (id, claim string) {
	r.t.Helper()
	before := r.mailbox.count(address)
	id = r.joined(s, address)
	r.approve(s, id)
	waittest.Eventually(r.t, "the invitation arrives", func() bool { return r.mailbox.count(address) > before })
	_, bodies := r.mailbox.to(address)
	link := claimLink.FindStringSubmatch(plain(bodies[len(bodies)-1]))
	if link == nil {
		r.t.Fatalf("no link in %s", bodies[len(bodies)-1])
	}
	return id, link[1]
}

// plain decodes what of quoted-printable stands in our emails.
func plain(body string) string {
	return strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(body)
}

func (r *rig) claim(s instance, token, claim string) error {
	_, err := s.ClaimInvitation(r.as(token), &waitlistv1.ClaimInvitationRequest{Claim: claim})
	return err
}

func (r *rig) status(s instance, token string) waitlistv1.Status {
	r.t.Helper()
	resp, err := s.GetStatus(r.as(token), &waitlistv1.GetStatusRequest{})
	errtest.None(r.t, err)
	return resp.GetStatus()
}

func TestWhoeverReadsTheInvitationUsesItWithAnotherAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	_, claim := r.invited(s, "ann@example.com")
	_, relay := r.issuer.User("x7k2@relay.example.com")
	_, other := r.issuer.User("bob@example.com")
	_, own := r.issuer.User("ann@example.com")

	if got := r.status(s, relay); got != waitlistv1.Status_STATUS_UNSPECIFIED {
		t.Errorf("before the claim: %s", got)
	}
	if invitation, err := s.GetInvitation(r.as(relay), &waitlistv1.GetInvitationRequest{Claim: claim}); err != nil || invitation.GetEmail() != "ann@example.com" {
		t.Errorf("the invitation: %v, %v", invitation, err)
	}
	if err := r.claim(s, own, claim); err != nil { // takes nothing from whoever comes next
		t.Errorf("the account of the address: %v", err)
	}
	for range 2 {
		errtest.None(t, r.claim(s, relay, claim))
	}
	if got := r.status(s, relay); got != waitlistv1.Status_STATUS_APPROVED {
		t.Errorf("after the claim: %s", got)
	}
	if got := r.status(s, own); got != waitlistv1.Status_STATUS_APPROVED {
		t.Errorf("the address itself: %s", got)
	}
	if _, err := s.GetInvitation(r.as(other), &waitlistv1.GetInvitationRequest{Claim: claim}); !errors.Is(err, fault.Conflict) {
		t.Errorf("another account reads it: %v", err)
	}
	if err := r.claim(s, other, claim); !errors.Is(err, fault.Conflict) {
		t.Errorf("another account claims it: %v", err)
	}
	if got := r.status(s, other); got != waitlistv1.Status_STATUS_UNSPECIFIED {
		t.Errorf("another account is %s", got)
	}
	waittest.Eventually(t, "the address is told", func() bool { return r.mailbox.count("ann@example.com") == 2 })
	if _, bodies := r.mailbox.to("ann@example.com"); !strings.Contains(plain(bodies[1]), "x7k2@relay.example.com") {
		t.Errorf("the email does not name the account: %s", bodies[1])
	}
	listed, err := s.ListUsers(r.asAdmin(), &waitlistv1.ListUsersRequest{})
	if err != nil || listed.GetUsers()[0].GetClaimedEmail() != "x7k2@relay.example.com" {
		t.Errorf("staff see %v, %v", listed, err)
	}
}

func TestAnInvitationEndsWithItsApproval(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	id, first := r.invited(s, "ann@example.com")
	_, relay := r.issuer.User("x7k2@relay.example.com")
	errtest.None(t, r.claim(s, relay, first))
	r.remove(s, id)
	if got := r.status(s, relay); got != waitlistv1.Status_STATUS_REJECTED {
		t.Errorf("the account of a removed entry is %s", got)
	}
	if err := r.claim(s, relay, first); !errors.Is(err, fault.NotFound) {
		t.Errorf("claiming a removed entry: %v", err)
	}
	// Staff lets the address in again: that is how an invitation is taken from an account.
	if _, err := s.AddUser(r.asAdmin(), &waitlistv1.AddUserRequest{Email: "ann@example.com"}); err != nil {
		t.Fatal(err)
	}
	if got := r.status(s, relay); got != waitlistv1.Status_STATUS_UNSPECIFIED {
		t.Errorf("the account of a readmitted entry is %s", got)
	}
	_, second := r.invited(s, "ann@example.com")
	if err := r.claim(s, relay, first); !errors.Is(err, fault.NotFound) {
		t.Errorf("claiming by the first link: %v", err)
	}
	_, right := r.issuer.User("q9@relay.example.com")
	if err := r.claim(s, right, second); err != nil {
		t.Errorf("claiming by the second link: %v", err)
	}
}

func TestAClaimThatWasNeverSentGivesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	_, token := r.issuer.User("bob@example.com")
	for claim, want := range map[string]fault.Kind{
		"": fault.Invalid, "x": fault.Invalid, strings.Repeat("A", 43): fault.NotFound, strings.Repeat("A", 44): fault.Invalid,
	} {
		if err := r.claim(s, token, claim); !errors.Is(err, want) {
			t.Errorf("claiming by %q: %v, want %s", claim, err, want)
		}
		if _, err := s.GetInvitation(r.as(token), &waitlistv1.GetInvitationRequest{Claim: claim}); !errors.Is(err, want) {
			t.Errorf("reading by %q: %v, want %s", claim, err, want)
		}
	}
}

func TestOnlyOneOfManyAccountsClaims(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	_, claim := r.invited(s, "ann@example.com")
	var wg sync.WaitGroup
	var used atomic.Int32
	for range 8 {
		_, token := r.issuer.User("x@relay.example.com")
		wg.Go(func() {
			if err := r.claim(s, token, claim); errors.Is(err, fault.Conflict) {
				used.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if used.Load() != 7 || r.count("SELECT count(*) FROM waitlist_users WHERE claimed_by IS NOT NULL") != 1 {
		t.Errorf("%d of 8 accounts were refused", used.Load())
	}
}
