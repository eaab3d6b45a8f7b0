package waitlist_test

import (
	"net/http"
	"testing"

	"fledge.dev/gateway/internal/apitest"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/fault"
)

const leave = apitest.LeavePath + "?token=" + apitest.AnyID

// TestOneClickUnsubscribes as RFC 8058 has mail programs do it, and as the page does.
func TestOneClickUnsubscribes(t *testing.T) {
	g := apitest.Start(t)
	for name, options := range map[string][]apitest.Option{
		"a mail program": {apitest.Header("Content-Type", "application/x-www-form-urlencoded"), apitest.JSONBody("List-Unsubscribe=One-Click")},
		"the page":       {apitest.FromOurPage},
	} {
		before := g.Waitlist.Count()
		g.Do(http.MethodPost, leave, options...).Is(http.StatusOK, `{"message":"You are off the waitlist"}`)
		if got, _ := g.Waitlist.Last(); g.Waitlist.Count() != before+1 || got.(*waitlistv1.LeaveRequest).GetToken() != apitest.AnyID {
			t.Errorf("%s: the service was asked %v", name, got)
		}
	}
	g.Waitlist.Fail(fault.New(fault.NotFound, "leave_link_unknown", "This link is not known."))
	g.Post(leave, "").Fails(http.StatusNotFound, "leave_link_unknown")
}

// TestAMailScannerUnsubscribesNobody by following the link.
func TestAMailScannerUnsubscribesNobody(t *testing.T) {
	g := apitest.Start(t)
	answer := g.Get(leave).Is(http.StatusSeeOther)
	if got := answer.Header.Get("Location"); got != "/leave-waitlist#"+apitest.AnyID {
		t.Errorf("leads to %q", got)
	}
	if g.Waitlist.Count() != 0 {
		t.Error("reading the link reached the service")
	}
}
