package api

import (
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
)

func encodePlans(plans []plan.Plan, packs []plan.Pack) *billingv1.ListPlansResponse {
	resp := &billingv1.ListPlansResponse{Plans: make([]*billingv1.Plan, len(plans))}
	for i, p := range plans {
		resp.Plans[i] = encodePlan(p)
	}
	for _, p := range packs {
		resp.Packs = append(resp.Packs, &billingv1.Pack{
			ProductId: p.ProductID, PriceId: p.PriceID, Credits: p.Credits, Price: encodeAmount(p.Amount, p.Currency),
		})
	}
	return resp
}

func encodePlan(p plan.Plan) *billingv1.Plan {
	offer := p.OnSale()
	encoded := &billingv1.Plan{
		Id: p.ID, Name: p.Name, Description: p.Description, MonthlyCredits: p.MonthlyCredits, PriceMonthly: p.PriceMonthly,
		ProductId: offer.ProductID, PriceId: offer.PriceID, ContactSales: p.ContactSales,
	}
	if offer.AnnualPriceID != "" {
		encoded.Annual = &billingv1.AnnualOffer{PriceId: offer.AnnualPriceID, Price: p.PriceYearly}
	}
	for _, f := range p.Features {
		encoded.Features = append(encoded.Features, &billingv1.Feature{Text: f.Text, Info: f.Info})
	}
	return encoded
}

func encodeCredits(c ledger.Credits) *billingv1.Credits {
	return &billingv1.Credits{Balance: c.Balance, Granted: c.Granted, Used: c.Used, Held: c.Held, PeriodEnd: encodeTime(c.PeriodEnd)}
}

// encodeAmount is of an amount in the smallest unit of a currency.
func encodeAmount(amount int64, currency string) *billingv1.Money {
	return &billingv1.Money{Amount: stripe.Hundredths(amount, currency), Currency: currency}
}

func encodeEndings(endings []ledger.Ending) []*billingv1.CreditEnding {
	encoded := make([]*billingv1.CreditEnding, len(endings))
	for i, e := range endings {
		encoded[i] = &billingv1.CreditEnding{At: encodeTime(e.At), Amount: e.Amount}
	}
	return encoded
}

func encodeHeld(h ledger.Held) *billingv1.HoldCreditsResponse {
	return &billingv1.HoldCreditsResponse{HoldId: h.ID.String(), ExpiresAt: encodeTime(h.ExpiresAt), Credits: encodeCredits(h.Credits)}
}

func encodeHistory(h ledger.History) *billingv1.ListCreditEntriesResponse {
	resp := &billingv1.ListCreditEntriesResponse{NextCursor: h.Next.Encode()}
	for _, e := range h.Entries {
		entry := &billingv1.CreditEntry{
			Id: encodeNumber(e.Number), Time: encodeTime(e.Time), Kind: e.Kind, Amount: e.Amount,
			BalanceAfter: e.BalanceAfter, Description: e.Description,
		}
		if e.Paid > 0 {
			entry.Paid = &billingv1.Money{Amount: e.Paid, Currency: e.Currency}
		}
		resp.Entries = append(resp.Entries, entry)
	}
	for _, d := range h.Days {
		resp.Days = append(resp.Days, &billingv1.DailySpend{Day: d.Start.Format(time.DateOnly), Amount: d.Amount})
	}
	return resp
}

// encodeNumber makes an entry's number its id: unique within the account.
func encodeNumber(n int64) string { return strconv.FormatInt(n, 10) }

// encodeTime leaves an absent time absent.
func encodeTime(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
