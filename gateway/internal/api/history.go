package api

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
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

func (a *API) getCreditHistory(c *gin.Context) error {
	page, err := pageOf(c)
	if err != nil {
		return err
	}
	resp, err := a.services.Billing.ListCreditEntries(c.Request.Context(), &billingv1.ListCreditEntriesRequest{Cursor: page.cursor, Limit: page.limit})
	if err != nil {
		return err
	}
	history := creditHistory{
		Data: make([]creditEntry, 0, len(resp.GetEntries())), NextCursor: orNull(resp.GetNextCursor()), Days: make([]dailySpend, 0, len(resp.GetDays())),
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
