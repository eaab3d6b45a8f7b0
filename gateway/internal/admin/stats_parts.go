package admin

import (
	"context"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/wire"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/enum"
)

// The parts of the other services.

func (h *handlers) ticketStats(ctx context.Context) (*wire.TicketStats, error) {
	resp, err := h.services.Support.GetStats(ctx, &supportv1.GetStatsRequest{})
	if err != nil {
		return nil, err
	}
	stats := &wire.TicketStats{Days: make([]wire.TicketStats_Days, 0, len(resp.GetDays()))}
	stats.Open = wire.TicketStats_Open{Urgent: resp.GetUrgent(), High: resp.GetHigh(), Medium: resp.GetMedium(), Low: resp.GetLow()}
	for _, d := range resp.GetDays() {
		stats.Days = append(stats.Days, wire.TicketStats_Days{Day: d.GetDay(), Created: d.GetCreated(), Resolved: d.GetResolved()})
	}
	stats.FirstAnswerSeconds, stats.ResolveSeconds = resp.FirstAnswerSeconds, resp.ResolveSeconds
	stats.Backlog = make([]wire.TicketStats_Backlog, 0, len(resp.GetBacklog()))
	for _, b := range resp.GetBacklog() {
		stats.Backlog = append(stats.Backlog, wire.TicketStats_Backlog{
			Category: wire.TicketCategory(enum.Name(b.GetCategory())), Day: b.GetDay(), Week: b.GetWeek(), Older: b.GetOlder(),
		})
	}
	stats.FirstAnswerWeeks, stats.ResolveWeeks = ticketWeeks(resp.GetFirstAnswerWeeks()), ticketWeeks(resp.GetResolveWeeks())
	return stats, nil
}

func ticketWeeks(weeks []*supportv1.GetStatsResponse_Week) []wire.TicketWeek {
	list := make([]wire.TicketWeek, len(weeks))
	for i, w := range weeks {
		list[i] = wire.TicketWeek{Week: w.GetWeek(), Tickets: w.GetTickets(), P50Seconds: w.GetP50Seconds(), P90Seconds: w.GetP90Seconds()}
		if w.GetCategory() != supportv1.Category_CATEGORY_UNSPECIFIED {
			category := wire.TicketCategory(enum.Name(w.GetCategory()))
			list[i].Category = &category
		}
	}
	return list
}

func (h *handlers) billingStats(ctx context.Context) (*wire.SubscriptionStats, *wire.CreditStats, error) {
	resp, err := h.services.Billing.GetStats(ctx, &billingv1.GetStatsRequest{})
	if err != nil {
		return nil, nil, err
	}
	subscriptions := &wire.SubscriptionStats{
		Active: resp.GetActive(), Cancelled: resp.GetCancelled(), PastDue: resp.GetPastDue(),
		Cases: resp.GetCases(), Differences: resp.GetDifferences(), Plans: make([]wire.SubscriptionStats_Plans, 0, len(resp.GetPlans())),
	}
	for _, p := range resp.GetPlans() {
		subscriptions.Plans = append(subscriptions.Plans, wire.SubscriptionStats_Plans{Name: p.GetName(), Active: p.GetActive()})
	}
	if len(resp.GetDays()) == 0 { // not added up in time
		return subscriptions, nil, nil
	}
	credits := &wire.CreditStats{Spent: jsonbody.Decimal(resp.GetSpent()), Days: make([]wire.CreditStats_Days, 0, len(resp.GetDays()))}
	for _, d := range resp.GetDays() {
		credits.Days = append(credits.Days, wire.CreditStats_Days{Day: d.GetDay(), Spent: jsonbody.Decimal(d.GetAmount())})
	}
	return subscriptions, credits, nil
}

func (h *handlers) downloadTotals(ctx context.Context) (*wire.DownloadTotals, error) {
	resp, err := h.services.Releases.GetStats(ctx, &releasesv1.GetStatsRequest{})
	if err != nil {
		return nil, err
	}
	stats := &wire.DownloadTotals{
		Total: resp.GetTotal(), Days: make([]wire.DownloadTotals_Days, 0, len(resp.GetDays())), Versions: make([]wire.DownloadTotals_Versions, 0, len(resp.GetVersions())),
	}
	for _, d := range resp.GetDays() {
		stats.Days = append(stats.Days, wire.DownloadTotals_Days{Day: d.GetDay(), Total: d.GetTotal()})
	}
	for _, v := range resp.GetVersions() {
		stats.Versions = append(stats.Versions, wire.DownloadTotals_Versions{Version: v.GetVersion(), Total: v.GetTotal()})
	}
	return stats, nil
}
