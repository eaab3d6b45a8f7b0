package metricspage

import (
	"fmt"
	"math"
	"strconv"
)

const none = "–"

// column is a metric that several processes have.
type column struct {
	// Query is what a dashboard asks Prometheus for the same.
	Title, Query string
	of           func(Families) string
}

var columns = []column{
	{"Answered", "http_request_duration_seconds, rpc_server_duration_seconds", func(f Families) string {
		return first(f, "http_request_duration_seconds", "rpc_server_duration_seconds")
	}},
	{"Failed", `status=~"5..", outcome=~"internal|unavailable"`, failed},
	{"p99 up to", "histogram_quantile(0.99, …)", slowest},
	{"Connections", "pg_pool_acquired_conns / pg_pool_max_conns", func(f Families) string {
		inUse, ok := f.Sum("pg_pool_acquired_conns", nil)
		most, _ := f.Sum("pg_pool_max_conns", nil)
		if !ok {
			return none
		}
		return number(inUse) + " of " + number(most)
	}},
	{"Outbox waits", "bus_outbox_pending", func(f Families) string { return first(f, "bus_outbox_pending") }},
	{"Backlog", "bus_consumer_backlog", func(f Families) string { return first(f, "bus_consumer_backlog") }},
	{"Dead letters", "bus_dead_letters", func(f Families) string { return first(f, "bus_dead_letters") }},
	{"Jobs wait", "jobs_waiting", func(f Families) string { return first(f, "jobs_waiting") }},
}

// first is the sum of the first of the metrics that there is.
func first(f Families, names ...string) string {
	for _, name := range names {
		if total, ok := f.Sum(name, nil); ok {
			return number(total)
		}
	}
	return none
}

func failed(f Families) string {
	total, found := 0.0, false
	for _, m := range f["http_request_duration_seconds"].GetMetric() {
		found = true
		for _, pair := range m.GetLabel() {
			if pair.GetName() == "status" && pair.GetValue() >= "500" {
				total += float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	for _, outcome := range []string{"internal", "unavailable"} {
		calls, _ := f.Sum("rpc_server_duration_seconds", map[string]string{"outcome": outcome})
		total += calls
	}
	if _, calls := f["rpc_server_duration_seconds"]; !found && !calls {
		return none
	}
	return number(total)
}

func slowest(f Families) string {
	for _, name := range []string{"http_request_duration_seconds", "rpc_server_duration_seconds"} {
		if bound, ok := f.quantile(name, .99); ok && !math.IsInf(bound, 1) {
			return fmt.Sprintf("%g ms", bound*1000)
		}
	}
	return none
}

// fact is a business metric.
type fact struct{ Title, Query, Value string }

func business(scrapes map[string]scrape) []fact {
	facts := []struct {
		title, service, metric string
		labels                 map[string]string
	}{
		{"Sign-ups that were new", "waitlist", "waitlist_signups_total", map[string]string{"outcome": "new"}},
		{"Waiting", "waitlist", "waitlist_entries", map[string]string{"status": "pending"}},
		{"Approved", "waitlist", "waitlist_entries", map[string]string{"status": "approved"}},
		{"Sign-ins", "identity", "identity_sign_ins_total", nil},
		{"Downloads", "releases", "releases_downloads_total", nil},
		{"Subscribers", "billing", "billing_subscriptions", map[string]string{"status": "active"}},
		{"Credits spent", "billing", "billing_credits_total", map[string]string{"kind": "consume"}},
		{"Balances that are wrong", "billing", "billing_balance_check_failures_total", nil},
		{"Tickets opened", "support", "support_tickets_total", nil},
		{"Emails sent", "waitlist", "mail_deliveries_total", map[string]string{"result": "sent"}},
	}
	shown := make([]fact, len(facts))
	for i, f := range facts {
		shown[i] = fact{Title: f.title, Query: f.metric, Value: none}
		for label, value := range f.labels {
			shown[i].Query = fmt.Sprintf("%s{%s=%q}", f.metric, label, value)
		}
		if total, ok := scrapes[f.service].families.Sum(f.metric, f.labels); ok {
			shown[i].Value = number(total)
		}
	}
	return shown
}

func number(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }
