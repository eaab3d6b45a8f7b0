package billing

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

type creditEntry struct {
	ID           string           `json:"id"`
	Time         time.Time        `json:"time"`
	Kind         string           `json:"kind"`
	Amount       jsonbody.Decimal `json:"amount"`
	BalanceAfter jsonbody.Decimal `json:"balance_after"`
	Description  string           `json:"description"`
}

type dailySpend struct {
	Day    string           `json:"day"`
	Amount jsonbody.Decimal `json:"amount"`
}

type creditHistory struct {
	Data       []creditEntry `json:"data"`
	NextCursor *string       `json:"nextCursor"`
	Days       []dailySpend  `json:"days"`
}

func (h *handlers) getCreditHistory(c *gin.Context) error {
	page, err := route.PageOf(c)
	if err != nil {
		return err
	}
	resp, err := h.billing.ListCreditEntries(c.Request.Context(), &billingv1.ListCreditEntriesRequest{Cursor: page.Cursor, Limit: page.Limit})
	if err != nil {
		return err
	}
	history := creditHistory{
		Data: make([]creditEntry, 0, len(resp.GetEntries())), NextCursor: route.OrNull(resp.GetNextCursor()), Days: make([]dailySpend, 0, len(resp.GetDays())),
	}
	for _, e := range resp.GetEntries() {
		history.Data = append(history.Data, creditEntry{
			e.GetId(), e.GetTime().AsTime(), e.GetKind(), jsonbody.Decimal(e.GetAmount()), jsonbody.Decimal(e.GetBalanceAfter()), e.GetDescription(),
		})
	}
	for _, d := range resp.GetDays() {
		history.Days = append(history.Days, dailySpend{d.GetDay(), jsonbody.Decimal(d.GetAmount())})
	}
	c.JSON(http.StatusOK, history)
	return nil
}
