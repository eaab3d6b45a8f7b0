package mailreports

import (
	netmail "net/mail"

	"github.com/go-json-experiment/json"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/clock"
)

// sesEvent is what SES says of an email: as a notification of an identity, or as an event of a
// configuration set, which differ in the name of the type.
type sesEvent struct {
	NotificationType string `json:"notificationType"`
	EventType        string `json:"eventType"`
	Bounce           struct {
		Type       string `json:"bounceType"`
		SubType    string `json:"bounceSubType"`
		FeedbackID string `json:"feedbackId"`
		Timestamp  string `json:"timestamp"`
		Recipients []struct {
			Address        string `json:"emailAddress"`
			Status         string `json:"status"`
			DiagnosticCode string `json:"diagnosticCode"`
		} `json:"bouncedRecipients"`
	} `json:"bounce"`
	Complaint struct {
		FeedbackID   string `json:"feedbackId"`
		FeedbackType string `json:"complaintFeedbackType"`
		SubType      string `json:"complaintSubType"`
		Timestamp    string `json:"timestamp"`
		Recipients   []struct {
			Address string `json:"emailAddress"`
		} `json:"complainedRecipients"`
	} `json:"complaint"`
}

// readSES ignores what is no bounce or complaint, such as the sentence by which SES tries a topic.
func readSES(text string, clk clock.Clock) (r report, err error) {
	var e sesEvent
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		r.count(ignored)
		return r, nil //nolint:nilerr // SNS has signed it, and would send it again for days
	}
	switch e.NotificationType + e.EventType {
	case "Bounce":
		b := e.Bounce
		for _, to := range b.Recipients {
			if b.Type != "Permanent" {
				r.count(deferred)
				continue
			}
			r.add(&mailv1.Event{
				Id: "ses/" + b.FeedbackID, Address: bare(to.Address), Kind: mailv1.Kind_KIND_BOUNCED,
				Reason: reason(to.DiagnosticCode, to.Status, b.SubType), At: at(b.Timestamp, clk),
			})
		}
	case "Complaint":
		for _, to := range e.Complaint.Recipients {
			if t := e.Complaint.FeedbackType; t == "not-spam" || t == "auth-failure" { // the reader has taken it back; a server tells of SPF, DKIM or DMARC
				r.count(ignored)
				continue
			}
			r.add(&mailv1.Event{
				Id: "ses/" + e.Complaint.FeedbackID, Address: bare(to.Address), Kind: mailv1.Kind_KIND_COMPLAINED,
				Reason: reason("", e.Complaint.FeedbackType, e.Complaint.SubType), At: at(e.Complaint.Timestamp, clk),
			})
		}
	default:
		r.count(ignored)
	}
	return r, nil
}

// bare is the address without a name, which SES repeats as it was written.
func bare(address string) string {
	if parsed, err := netmail.ParseAddress(address); err == nil {
		return parsed.Address
	}
	return address
}
