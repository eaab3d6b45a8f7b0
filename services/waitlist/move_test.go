package waitlist_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// told has identity tell of an account, and waits until the consumer has read it.
func (r *rig) told(consumer, event, account string, payload proto.Message) {
	r.t.Helper()
	ev := bus.Event{ID: uuid.New(), Type: "fledge.identity.v1.user." + event, Subject: account, Time: time.Now(), Payload: payload}
	r.nats.Publish("identity", ev)
	waittest.Eventually(r.t, "the event is read", func() bool {
		return r.count("SELECT count(*) FROM inbox WHERE consumer = $1 AND event_id = $2", consumer, ev.ID) == 1
	})
}

// moved gives an account another address and returns its token from then on.
func (r *rig) moved(account, to string, former ...string) (token string) {
	r.t.Helper()
	token = r.issuer.Token(account, to, nil)
	r.told("waitlist-user-email-changed", "email_changed", account, &eventsv1.UserEmailChanged{UserId: account, FormerEmails: former})
	return token
}

// listed are "<address> <used by>" of the entries that the search finds.
func (r *rig) listed(s instance, search string) (found []string) {
	r.t.Helper()
	resp, err := s.ListUsers(r.asAdmin(), &waitlistv1.ListUsersRequest{Search: search})
	errtest.None(r.t, err)
	for _, u := range resp.GetUsers() {
		found = append(found, u.GetEmail()+" "+u.GetClaimedEmail())
	}
	return found
}

// TestAPlaceFollowsItsPerson to another address: staff find it by both, and emails go to the new one.
func TestAPlaceFollowsItsPerson(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	ann, _ := r.issuer.User("ann@old.example")
	id := r.joined(s, "ann@old.example")
	r.join(s, "bob@old.example")
	token := r.moved(ann, "ann@new.example", "ann@old.example", "ann@older.example")
	if got := r.status(s, token); got != waitlistv1.Status_STATUS_PENDING {
		t.Errorf("with the new address: %s", got)
	}
	for _, search := range []string{"ann@OLD", "ann@new.example"} {
		if got := r.listed(s, search); !slices.Equal(got, []string{"ann@old.example ann@new.example"}) {
			t.Errorf("%s finds %q", search, got)
		}
	}
	r.approve(s, id)
	waittest.Eventually(t, "the new address is told", func() bool { return r.mailbox.count("ann@new.example") == 1 })

	r.moved(ann, "ann@third.example", "ann@old.example", "ann@older.example", "ann@new.example")
	r.moved(ann, "ann@third.example") // once more changes nothing
	if got := r.listed(s, "ann@"); !slices.Equal(got, []string{"ann@old.example ann@third.example"}) {
		t.Errorf("after another move: %q", got)
	}
	r.count("WITH u AS (UPDATE waitlist_users SET invited_at = invited_at - interval '1 hour' RETURNING 1) SELECT count(*) FROM u") // else it is not sent again yet
	if _, err := s.ResendApproval(r.asAdmin(), &waitlistv1.ResendApprovalRequest{Id: id}); err != nil {
		t.Fatal(err)
	}
	waittest.Eventually(t, "the third address is told", func() bool { return r.mailbox.count("ann@third.example") == 1 })
	if n := r.mailbox.count("ann@old.example"); n != 0 {
		t.Errorf("%d emails to the old address", n)
	}
	r.moved(ann, "ann@old.example", "ann@new.example", "ann@third.example")
	if got := r.listed(s, "ann@"); !slices.Equal(got, []string{"ann@old.example "}) {
		t.Errorf("after the way back: %q", got)
	}
	r.moved(ann, "ann@old.example", "ann@old.example", "ann@new.example") // an event of before that is read late
	if got := r.listed(s, "ann@"); !slices.Equal(got, []string{"ann@old.example "}) {
		t.Errorf("after a late event: %q", got)
	}
}

// TestAPlaceOfADisabledAccountFollowsOnceItIsEnabled: until then nobody may be told its address.
func TestAPlaceOfADisabledAccountFollowsOnceItIsEnabled(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	ann, _ := r.issuer.User("ann@old.example")
	r.join(s, "ann@old.example")
	r.issuer.Disable(ann)
	r.moved(ann, "ann@new.example", "ann@old.example")
	if got := r.listed(s, "ann@"); !slices.Equal(got, []string{"ann@old.example ann@old.example"}) {
		t.Errorf("while it is disabled: %q", got)
	}
	r.issuer.Enable(ann)
	r.told("waitlist-user-enabled", "enabled", ann, &eventsv1.UserEnabled{UserId: ann})
	if got := r.listed(s, "ann@"); !slices.Equal(got, []string{"ann@old.example ann@new.example"}) {
		t.Errorf("once it is enabled: %q", got)
	}
}

// TestANewAddressTakesNoPlaceOfOthers who have claimed it.
func TestANewAddressTakesNoPlaceOfOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	_, claim := r.invited(s, "ann@old.example")
	_, relay := r.issuer.User("x7k2@relay.example.com")
	errtest.None(t, r.claim(s, relay, claim))
	ann, _ := r.issuer.User("ann@old.example")
	r.moved(ann, "ann@new.example", "ann@old.example")
	if got := r.listed(s, "ann@"); !slices.Equal(got, []string{"ann@old.example x7k2@relay.example.com"}) {
		t.Errorf("it is %q", got)
	}
}
