package waitlist_test

import (
	"net/http"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/apitest"
)

func TestBulkApprove(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	const path = "/api/bulk-approve-waitlist-users"
	g.Post(path, `{"waitlistUserIds":["`+strings.ToUpper(apitest.AnyID)+`","`+apitest.RejectedID+`"]}`, apitest.Bearer(admin)).Is(http.StatusOK, `{"results":[
		{"waitlistUserId":"`+apitest.AnyID+`","ok":true},
		{"waitlistUserId":"`+apitest.RejectedID+`","ok":false,"code":"waitlist_user_rejected","error":"This waitlist user was removed. Add the email address again first."}]}`)
	before := g.Waitlist.Count()
	for name, body := range map[string]string{
		"no list": `{}`, "null": `{"waitlistUserIds":null}`, "none": `{"waitlistUserIds":[]}`, "no ids": `{"waitlistUserIds":["x"]}`,
		"another form": `{"waitlistUserIds":["urn:uuid:` + apitest.AnyID + `"]}`, "one twice": `{"waitlistUserIds":["` + apitest.AnyID + `","` + strings.ToUpper(apitest.AnyID) + `"]}`,
		"too many": `{"waitlistUserIds":[` + strings.Repeat(`"`+apitest.AnyID+`",`, 100) + `"` + apitest.AnyID + `"]}`,
	} {
		a := g.Post(path, body, apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_waitlist_user_ids")
		if t.Failed() {
			t.Fatalf("%s: %s", name, a.Body)
		}
	}
	if g.Waitlist.Count() != before {
		t.Error("a refused request reached the service")
	}
}
