package mac

import (
	"context"
	"crypto/rand"
)

// Report is what somebody tells support from inside the app. Category and
// priority are the site's names, such as "bug" and "high"; priority and subject
// may be empty.
type Report struct {
	Category        string `json:"category"`
	Priority        string `json:"priority,omitempty"`
	Subject         string `json:"subject,omitempty"`
	Message         string `json:"message"`
	AppVersion      string `json:"appVersion"`
	OperatingSystem string `json:"operatingSystem"`
}

// Report opens a support ticket and returns its number, "TKT-000123". An answer
// that got lost is asked for again under the same key, which opens one ticket.
func (c *Client) Report(ctx context.Context, report Report) (number string, err error) {
	body := struct {
		Report
		Key string `json:"idempotencyKey"`
	}{report, rand.Text()}
	var opened struct {
		Data struct {
			Number string `json:"ticket_id"`
		} `json:"data"`
	}
	err = c.insist(ctx, "/api/create-support-ticket", body, &opened)
	return opened.Data.Number, err
}
