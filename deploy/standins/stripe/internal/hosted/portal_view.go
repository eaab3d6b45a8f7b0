package hosted

import (
	"net/http"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

type portalView struct {
	Base, Email, ReturnURL string
	Plans                  []planView
	Card                   *account.Card
	Cards                  []cardChoice
	Invoices               []account.Invoice
	// For a page about one plan.
	Plan   planView
	Change *changeView
}

type planView struct {
	ID, Name, Status, Currency, Interval, Next string
	Amount, PeriodEnd, CancelAt                int64
	Others                                     []offerView
}

type offerView struct {
	Price, Name, Currency, Interval string
	Amount                          int64
}

type changeView struct {
	offerView
	DueNow    int64
	Downgrade bool
}

func (p *pages) portal(w http.ResponseWriter, r *http.Request) { p.showPortal(w, r, http.StatusOK, "") }

// pageOf maps flows to their pages.
var pageOf = map[string]string{
	account.FlowCancel: "cancel", account.FlowCard: "card", account.FlowUpdate: "plans", account.FlowConfirm: "change",
}

func (p *pages) showPortal(w http.ResponseWriter, r *http.Request, status int, problem string) {
	page := r.PathValue("page")
	var v portalView
	refusal, ok := p.session(w, r, func(tx *account.Tx, session *account.Portal) error {
		v = describe(tx, session)
		subscription, price := r.FormValue("subscription"), r.FormValue("price")
		if session.Flow != "" && r.Method == http.MethodGet && page == "" {
			page, subscription, price = pageOf[session.Flow], session.Subscription, session.Change.Price
		}
		if page == "cancel" || page == "plans" || page == "change" {
			s, err := owned(tx, session, subscription)
			if err != nil {
				return err
			}
			v.Plan = describePlan(tx, s)
			if page == "change" {
				return v.describeChange(tx, session, s, price)
			}
		}
		return nil
	})
	if !ok {
		return
	}
	if refusal != "" || r.Method != http.MethodGet {
		page = ""
	}
	titles := map[string]string{"cancel": "Cancel your plan", "card": "Change your card", "plans": "Choose a plan", "change": "Confirm your new plan"}
	title, known := titles[page]
	name := "portal_" + page + ".html"
	if !known {
		title, name = "Your billing", "portal.html"
	}
	if problem == "" {
		problem = refusal
	}
	p.render(w, status, name, view{Title: title, Problem: problem, Notice: notices[r.FormValue("done")], Page: v})
}

func describe(tx *account.Tx, session *account.Portal) portalView {
	v := portalView{
		Base: "/p/session/" + session.Secret, ReturnURL: session.ReturnURL, Email: tx.Customers.Get(session.Customer).Email,
		Card: tx.PayingCard(session.Customer), Cards: cardChoices(),
	}
	for _, s := range tx.Subscriptions.Newest(func(s *account.Subscription) bool { return s.Customer == session.Customer && !s.Ended() }) {
		v.Plans = append(v.Plans, describePlan(tx, s))
	}
	for _, i := range tx.Invoices.Newest(func(i *account.Invoice) bool { return i.Customer == session.Customer && i.FinalizedAt > 0 }) {
		v.Invoices = append(v.Invoices, *i)
	}
	return v
}

func describePlan(tx *account.Tx, s *account.Subscription) planView {
	offer := describeOffer(tx, tx.Prices.Get(s.Price))
	v := planView{
		ID: s.ID, Name: offer.Name, Status: s.Status, Currency: offer.Currency, Interval: offer.Interval,
		Amount: offer.Amount * s.Quantity, PeriodEnd: s.PeriodEnd, CancelAt: s.CancelAt,
	}
	if s.Next != nil {
		v.Next = tx.PriceName(s.Next.Price)
	}
	for _, price := range tx.Offers() {
		if price.ID != s.Price && price.Currency == offer.Currency {
			v.Others = append(v.Others, describeOffer(tx, price))
		}
	}
	return v
}

func describeOffer(tx *account.Tx, price *account.Price) offerView {
	return offerView{Price: price.ID, Name: tx.PriceName(price.ID), Currency: price.Currency, Interval: price.Interval, Amount: price.Amount}
}

func (v *portalView) describeChange(tx *account.Tx, session *account.Portal, s *account.Subscription, id string) error {
	price := tx.Prices.Get(id)
	if price == nil || price.ID == s.Price {
		return account.Refuse("", "", "This plan cannot be chosen.")
	}
	to := account.Change{Price: id, Quantity: s.Quantity}
	v.Change = &changeView{offerView: describeOffer(tx, price), DueNow: tx.DueNow(s, to), Downgrade: tx.Waits(session, s, to)}
	return nil
}
