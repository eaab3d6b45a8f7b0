package billing

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/accountstate"
	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

func moneyOf(m *billingv1.Money) wire.Money {
	return wire.Money{Amount: jsonbody.Decimal(m.GetAmount()), Currency: m.GetCurrency()}
}

func (h *handlers) getFinances(c *gin.Context) error {
	resp, err := h.billing.GetFinances(c.Request.Context(), &billingv1.GetFinancesRequest{})
	if err != nil {
		return err
	}
	moved := resp.GetCredits()
	answer := wire.Finances{
		Subscriptions:  make([]wire.SubscriptionGroup, 0, len(resp.GetSubscriptions())),
		MonthlyRevenue: route.Each(resp.GetMonthlyRevenue(), moneyOf),
		Had:            resp.GetHad(), Lost: resp.GetLost(),
		Credits: wire.CreditMoves{
			Granted: jsonbody.Decimal(moved.GetGranted()), Spent: jsonbody.Decimal(moved.GetSpent()), Expired: jsonbody.Decimal(moved.GetExpired()),
			Withdrawn: jsonbody.Decimal(moved.GetWithdrawn()), Adjusted: jsonbody.Decimal(moved.GetAdjusted()),
		},
		Outstanding: jsonbody.Decimal(resp.GetOutstanding()), Owed: jsonbody.Decimal(resp.GetOwed()),
		Owing:       make([]wire.OwingAccount, 0, len(resp.GetOwing())),
		Differences: append([]string{}, resp.GetDifferences()...),
	}
	for _, g := range resp.GetSubscriptions() {
		group := wire.SubscriptionGroup{Plan: g.GetPlan(), PriceID: g.GetPriceId(), Status: g.GetStatus(), Subscriptions: g.GetSubscriptions()}
		if g.GetMonthly() != nil {
			group.Monthly = new(moneyOf(g.GetMonthly()))
		}
		answer.Subscriptions = append(answer.Subscriptions, group)
	}
	states := accountstate.ByID(c.Request.Context(), h.identity, route.Each(resp.GetOwing(), (*billingv1.OwingAccount).GetUserId))
	for _, o := range resp.GetOwing() {
		answer.Owing = append(answer.Owing, wire.OwingAccount{
			UserID: o.GetUserId(), Owed: jsonbody.Decimal(o.GetOwed()), Disputes: o.GetDisputes(), UserState: states.Of(o.GetUserId()),
		})
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

func (h *handlers) getBillingCases(c *gin.Context) error {
	resp, err := h.billing.ListCases(c.Request.Context(), &billingv1.ListCasesRequest{})
	if err != nil {
		return err
	}
	var ids []string
	for _, b := range resp.GetCases() {
		if b.GetUserId() != "" {
			ids = append(ids, b.GetUserId())
		}
	}
	states := accountstate.ByID(c.Request.Context(), h.identity, ids)
	answer := wire.BillingCases{Data: make([]wire.BillingCase, 0, len(resp.GetCases())), Total: resp.GetTotal()}
	for _, b := range resp.GetCases() {
		answer.Data = append(answer.Data, wire.BillingCase{
			Object: b.GetObject(), Reason: b.GetReason(), Since: b.GetSince().AsTime(), Events: b.GetEvents(),
			UserID: route.OrNull(b.GetUserId()), StripeURL: route.OrNull(b.GetStripeUrl()), Grantable: b.GetGrantable(),
			UserState: states.Of(b.GetUserId()),
		})
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

func (h *handlers) decideBillingCase(c *gin.Context, req wire.DecideBillingCaseRequest) error {
	order := &billingv1.DecideCaseRequest{Object: req.Object, Decision: string(req.Decision), Reason: req.Reason, SeenReason: req.SeenReason}
	if req.Amount != nil {
		order.Amount = route.Given(new(int64(*req.Amount)))
	}
	if _, err := h.billing.DecideCase(c.Request.Context(), order); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}

var monthColumns = []string{"month", "what", "plan", "currency", "count", "amount"}

func (h *handlers) exportMonthEnd(c *gin.Context) error {
	month := route.Query(c).Get("month")
	file := route.CSV{Timeout: route.FileBudget, Log: h.log}
	return file.Send(c, "month-end-"+month+".csv", monthColumns, func(ctx context.Context) ([][]string, bool, error) {
		resp, err := h.billing.GetMonthEnd(ctx, &billingv1.GetMonthEndRequest{Month: month})
		if err != nil {
			return nil, false, err
		}
		rows := make([][]string, 0, len(resp.GetRows()))
		for _, r := range resp.GetRows() {
			rows = append(rows, []string{
				month, r.GetWhat(), r.GetPlan(), r.GetCurrency(), strconv.FormatInt(r.GetCount(), 10), cents(r.GetAmount()),
			})
		}
		return rows, false, nil
	})
}

// cents writes hundredths with both decimals, as books have them.
func cents(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}
