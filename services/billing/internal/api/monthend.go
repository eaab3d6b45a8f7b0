package api

import (
	"context"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/billing/internal/monthend"
	"fledge.dev/services/platform/fault"
)

// GetMonthEnd is the month-end report.
func (s *Server) GetMonthEnd(ctx context.Context, req *billingv1.GetMonthEndRequest) (*billingv1.GetMonthEndResponse, error) {
	first, err := monthend.Parse(req.GetMonth())
	if err != nil {
		return nil, fault.InvalidField("month", "The month must be one such as 2026-10.")
	}
	rows, err := s.MonthEnd.Month(ctx, first)
	resp := &billingv1.GetMonthEndResponse{}
	for _, r := range rows {
		resp.Rows = append(resp.Rows, &billingv1.MonthEndRow{What: r.What, Plan: r.Plan, Currency: r.Currency, Count: r.Count, Amount: r.Amount})
	}
	return resp, err
}
