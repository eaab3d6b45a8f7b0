package mailreports

import (
	"fmt"
	"regexp"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"fledge.dev/gateway/internal/route"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
)

// postmarkUser is in the URL that Postmark calls, with the password.
const postmarkUser = "postmark"

type postmark struct {
	password config.Secret
	clock    clock.Clock
}

// postmarkEvent has the fields of all events that matter.
type postmarkEvent struct {
	RecordType string `json:"RecordType"`
	// Of bounces and complaints.
	ID          int64  `json:"ID"`
	Type        string `json:"Type"`
	Description string `json:"Description"`
	Details     string `json:"Details"`
	Email       string `json:"Email"`
	BouncedAt   string `json:"BouncedAt"`
	// Of changes of a subscription.
	Recipient         string `json:"Recipient"`
	SuppressSending   bool   `json:"SuppressSending"`
	SuppressionReason string `json:"SuppressionReason"`
	ChangedAt         string `json:"ChangedAt"`
}

func (p postmark) read(c *gin.Context) (r report, err error) {
	user, password, ok := c.Request.BasicAuth()
	if !ok || user != postmarkUser || !p.password.Has(password) {
		return r, errSignature
	}
	raw, err := route.Event(c)
	if err != nil {
		return r, err
	}
	var e postmarkEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		return r, errPayload.Wrap(err)
	}
	switch e.RecordType {
	case "Bounce", "SpamComplaint":
		p.bounce(&r, e)
	case "SubscriptionChange":
		p.subscription(&r, e)
	default:
		r.count(ignored)
	}
	return r, nil
}

// bounceKinds are the types of bounces after which no email arrives, or may be sent.
var bounceKinds = map[string]mailv1.Kind{
	"HardBounce":      mailv1.Kind_KIND_BOUNCED,
	"BadEmailAddress": mailv1.Kind_KIND_BOUNCED,
	"SpamComplaint":   mailv1.Kind_KIND_COMPLAINED,
	"Unsubscribe":     mailv1.Kind_KIND_UNSUBSCRIBED,
}

// softBounces may be over later.
var softBounces = map[string]bool{"SoftBounce": true, "Transient": true, "DnsError": true, "Blocked": true, "SpamNotification": true, "DMARCPolicy": true, "Undeterminable": true, "Unknown": true}

// notAccepted are emails that Postmark has taken by SMTP and then drops: those to its list of suppressed addresses, and
// those with a mistake of ours, such as another sender.
const notAccepted = "SMTPApiError"

// suppressed is how Postmark names the addresses of that list.
var suppressed = regexp.MustCompile(`(?i)inactive|suppress`)

func (p postmark) bounce(r *report, e postmarkEvent) {
	kind, ok := bounceKinds[e.Type]
	if e.Type == notAccepted && suppressed.MatchString(e.Description+" "+e.Details) {
		kind, ok = mailv1.Kind_KIND_BOUNCED, true
	}
	switch {
	case softBounces[e.Type]:
		r.count(deferred)
	case !ok || e.Email == "":
		r.count(ignored)
	default:
		r.add(&mailv1.Event{
			Id: fmt.Sprintf("postmark/%d", e.ID), Address: bare(e.Email), Kind: kind, Reason: reason(e.Details, e.Type), At: at(e.BouncedAt, p.clock),
		})
	}
}

// manual is the reader's own click on Postmark's link, or somebody's of our team. A suppression for
// another reason has a report of its own.
const manual = "ManualSuppression"

func (p postmark) subscription(r *report, e postmarkEvent) {
	if e.SuppressSending && e.SuppressionReason != manual || e.Recipient == "" {
		r.count(ignored)
		return
	}
	kind := mailv1.Kind_KIND_RESTORED
	if e.SuppressSending {
		kind = mailv1.Kind_KIND_UNSUBSCRIBED
	}
	r.add(&mailv1.Event{
		Id: "postmark/" + e.ChangedAt, Address: bare(e.Recipient), Kind: kind, Reason: reason("", e.SuppressionReason), At: at(e.ChangedAt, p.clock),
	})
}
