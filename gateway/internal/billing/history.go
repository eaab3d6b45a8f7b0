package billing

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

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
		Data: make([]wire.CreditEntry, 0, len(resp.GetEntries())), NextCursor: route.OrNull(resp.GetNextCursor()), Days: make([]wire.CreditHistory_Days, 0, len(resp.GetDays())),
	}
	for _, e := range resp.GetEntries() {
		history.Data = append(history.Data, entryOf(e))
	}
	for _, d := range resp.GetDays() {
		history.Days = append(history.Days, wire.CreditHistory_Days{Day: d.GetDay(), Amount: jsonbody.Decimal(d.GetAmount())})
	}
	c.JSON(http.StatusOK, history)
	return nil
}

func entryOf(e *billingv1.CreditEntry) wire.CreditEntry {
	return wire.CreditEntry{
		ID: e.GetId(), Time: e.GetTime().AsTime(), Kind: wire.CreditEntryKind(e.GetKind()), Description: e.GetDescription(),
		Amount: jsonbody.Decimal(e.GetAmount()), BalanceAfter: jsonbody.Decimal(e.GetBalanceAfter()),
	}
}
