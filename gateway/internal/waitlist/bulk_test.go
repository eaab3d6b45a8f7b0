package waitlist_test

import (
	"net/http"
	"testing"

	"fledge.dev/gateway/internal/apitest"
)

func TestBulkApprove(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	const path = "/api/bulk-approve-waitlist-users"
	g.Post(path, `{"waitlistUserIds":["`+apitest.AnyID+`","`+apitest.RejectedID+`"]}`, apitest.Bearer(admin)).Is(http.StatusOK, `{"results":[
		{"waitlistUserId":"`+apitest.AnyID+`","ok":true},
		{"waitlistUserId":"`+apitest.RejectedID+`","ok":false,"code":"waitlist_user_rejected","error":"This waitlist user was removed. Add the email address again first."}]}`)
}
