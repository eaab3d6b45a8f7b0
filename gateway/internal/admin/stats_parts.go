package admin

import (
	"context"

	"fledge.dev/gateway/internal/jsonbody"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
)

// The parts of the other services.

type ticketStats struct {
	Open struct {
		Urgent int64 `json:"urgent"`
		High   int64 `json:"high"`
		Medium int64 `json:"medium"`
		Low    int64 `json:"low"`
	} `json:"open"`
	Days []ticketDay `json:"days"`
}

type ticketDay struct {
	Day      string `json:"day"`
	Created  int64  `json:"created"`
	Resolved int64  `json:"resolved"`
}

func (h *handlers) ticketStats(ctx context.Context) (*ticketStats, error) {
	resp, err := h.services.Support.GetStats(ctx, &supportv1.GetStatsRequest{})
	if err != nil {
		return nil, err
	}
	stats := &ticketStats{Days: make([]ticketDay, 0, len(resp.GetDays()))}
	stats.Open.Urgent, stats.Open.High, stats.Open.Medium, stats.Open.Low = resp.GetUrgent(), resp.GetHigh(), resp.GetMedium(), resp.GetLow()
	for _, d := range resp.GetDays() {
		stats.Days = append(stats.Days, ticketDay{d.GetDay(), d.GetCreated(), d.GetResolved()})
	}
	return stats, nil
}

type subscriptionStats struct {
	Active    int64       `json:"active"`
	Cancelled int64       `json:"cancelled"`
	PastDue   int64       `json:"past_due"`
	Plans     []planCount `json:"plans"`
}

type planCount struct {
	Name   string `json:"name"`
	Active int64  `json:"active"`
}

type creditStats struct {
	Spent jsonbody.Decimal `json:"spent"`
	Days  []creditDay      `json:"days"`
}

type creditDay struct {
	Day   string           `json:"day"`
	Spent jsonbody.Decimal `json:"spent"`
}

func (h *handlers) billingStats(ctx context.Context) (*subscriptionStats, *creditStats, error) {
	resp, err := h.services.Billing.GetStats(ctx, &billingv1.GetStatsRequest{})
	if err != nil {
		return nil, nil, err
	}
	subscriptions := &subscriptionStats{
		Active: resp.GetActive(), Cancelled: resp.GetCancelled(), PastDue: resp.GetPastDue(), Plans: make([]planCount, 0, len(resp.GetPlans())),
	}
	for _, p := range resp.GetPlans() {
		subscriptions.Plans = append(subscriptions.Plans, planCount{p.GetName(), p.GetActive()})
	}
	if len(resp.GetDays()) == 0 { // not added up in time
		return subscriptions, nil, nil
	}
	credits := &creditStats{Spent: jsonbody.Decimal(resp.GetSpent()), Days: make([]creditDay, 0, len(resp.GetDays()))}
	for _, d := range resp.GetDays() {
		credits.Days = append(credits.Days, creditDay{d.GetDay(), jsonbody.Decimal(d.GetAmount())})
	}
	return subscriptions, credits, nil
}

type downloadTotals struct {
	Total    int64           `json:"total"`
	Days     []downloadDay   `json:"days"`
	Versions []downloadCount `json:"versions"`
}

type downloadDay struct {
	Day   string `json:"day"`
	Total int64  `json:"total"`
}

type downloadCount struct {
	Version string `json:"version"`
	Total   int64  `json:"total"`
}

func (h *handlers) downloadTotals(ctx context.Context) (*downloadTotals, error) {
	resp, err := h.services.Releases.GetStats(ctx, &releasesv1.GetStatsRequest{})
	if err != nil {
		return nil, err
	}
	stats := &downloadTotals{
		Total: resp.GetTotal(), Days: make([]downloadDay, 0, len(resp.GetDays())), Versions: make([]downloadCount, 0, len(resp.GetVersions())),
	}
	for _, d := range resp.GetDays() {
		stats.Days = append(stats.Days, downloadDay{d.GetDay(), d.GetTotal()})
	}
	for _, v := range resp.GetVersions() {
		stats.Versions = append(stats.Versions, downloadCount{v.GetVersion(), v.GetTotal()})
	}
	return stats, nil
}
