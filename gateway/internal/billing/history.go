package billing

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

// entriesPerCall is the most that billing gives at once.
const entriesPerCall = 100

func (h *handlers) getCreditHistory(c *gin.Context) error {
	page, err := route.PageOf(c)
	if err != nil {
		return err
	}
	resp, err := h.billing.ListCreditEntries(c.Request.Context(), &billingv1.ListCreditEntriesRequest{Cursor: page.Cursor, Limit: page.Limit})
	if err != nil {
		return err
	}
	history := wire.CreditHistory{
		Data: route.Each(resp.GetEntries(), entryOf), NextCursor: route.OrNull(resp.GetNextCursor()), Days: make([]wire.CreditHistory_Days, 0, len(resp.GetDays())),
	}
	for _, d := range resp.GetDays() {
		history.Days = append(history.Days, wire.CreditHistory_Days{Day: d.GetDay(), Amount: jsonbody.Decimal(d.GetAmount())})
	}
	c.JSON(http.StatusOK, history)
	return nil
}

func entryOf(e *billingv1.CreditEntry) wire.CreditEntry {
	entry := wire.CreditEntry{
		ID: e.GetId(), Time: e.GetTime().AsTime(), Kind: wire.CreditEntryKind(e.GetKind()), Description: e.GetDescription(),
		Amount: jsonbody.Decimal(e.GetAmount()), BalanceAfter: jsonbody.Decimal(e.GetBalanceAfter()),
	}
	if paid := e.GetPaid(); paid != nil {
		entry.Paid = new(moneyOf(paid))
	}
	return entry
}

var historyColumns = []string{"number", "time", "kind", "description", "credits", "balance_after", "paid", "currency"}

func (h *handlers) exportCreditHistory(c *gin.Context) error {
	req := &billingv1.ListCreditEntriesRequest{Limit: entriesPerCall}
	filename := "credit-history-" + h.clock.Now().UTC().Format(time.DateOnly) + ".csv"
	return h.csv.Send(c, filename, historyColumns, func(ctx context.Context) ([][]string, bool, error) {
		resp, err := h.billing.ListCreditEntries(ctx, req)
		if err != nil {
			return nil, false, err
		}
		req.Cursor = resp.GetNextCursor()
		return route.Each(resp.GetEntries(), entryRow), req.GetCursor() != "", nil
	})
}

func entryRow(e *billingv1.CreditEntry) []string {
	row := []string{
		e.GetId(), e.GetTime().AsTime().Format(time.RFC3339), e.GetKind(), e.GetDescription(),
		jsonbody.Decimal(e.GetAmount()).String(), jsonbody.Decimal(e.GetBalanceAfter()).String(), "", "",
	}
	if paid := e.GetPaid(); paid != nil {
		row[6], row[7] = jsonbody.Decimal(paid.GetAmount()).String(), paid.GetCurrency()
	}
	return row
}
