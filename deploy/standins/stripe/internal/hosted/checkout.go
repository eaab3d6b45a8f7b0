package hosted

import (
	"net/http"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

type checkoutView struct {
	Plan, Email, Currency, Interval, CancelURL string
	Total                                      account.Total
	Asks                                       account.Asks
	TrialDays, Price                           int64
	Cards                                      []cardChoice
	// Asked says that the bank asks the payer (3-D Secure); Code is the promotion code that was entered.
	Asked bool
	Code  string
}

func (p *pages) checkoutRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /c/pay/{id}", func(w http.ResponseWriter, r *http.Request) { p.checkout(w, r, http.StatusOK, "") })
	mux.HandleFunc("POST /c/pay/{id}", p.pay)
}

func (p *pages) checkout(w http.ResponseWriter, r *http.Request, status int, problem string) {
	var found *checkoutView
	state := ""
	_, ok := p.update(w, r, func(tx *account.Tx) error {
		c := tx.Checkouts.Get(r.PathValue("id"))
		if c == nil {
			return nil
		}
		price := tx.Prices.Get(c.Price)
		state = c.Status
		found = &checkoutView{
			Plan: tx.PriceName(c.Price), Email: tx.Customers.Get(c.Customer).Email, Currency: price.Currency,
			Interval: price.Interval, CancelURL: c.CancelURL, Total: tx.Total(c), Asks: c.Asks, TrialDays: c.TrialDays, Price: price.Amount * c.Quantity,
			Cards: append(cardChoices(), accountChoices()...),
			Asked: r.FormValue("card") == account.CardAsks && r.FormValue("confirmation") == "", Code: r.FormValue("promotion_code"),
		}
		return nil
	})
	switch {
	case !ok:
	case found == nil:
		p.message(w, http.StatusNotFound, "Something is wrong with this checkout", "The address may have been cut off.")
	case state == account.CheckoutComplete:
		p.message(w, http.StatusOK, "You are all done here", "This checkout has been paid already.")
	case state == account.CheckoutExpired:
		p.message(w, http.StatusGone, "This checkout has expired", "Go back to the site and begin again.")
	default:
		title := "Subscribe to " + found.Plan
		if found.Interval == "" {
			title = "Buy " + found.Plan
		}
		p.render(w, status, "checkout.html", view{Title: title, Problem: problem, Page: found})
	}
}

func (p *pages) pay(w http.ResponseWriter, r *http.Request) {
	to := ""
	refusal, ok := p.update(w, r, func(tx *account.Tx) error {
		c, err := tx.Checkout(r.PathValue("id"))
		if err != nil {
			return err
		}
		to = c.Success()
		// A second click on the button goes where the first one went.
		if c.Status == account.CheckoutComplete {
			return nil
		}
		return tx.PayCheckout(c, account.Purchase{
			Card: r.FormValue("card"), PromotionCode: r.FormValue("promotion_code"), TermsAccepted: r.FormValue("terms") != "",
			Confirmation: r.FormValue("confirmation"),
		})
	})
	switch {
	case !ok:
	case refusal != "":
		p.checkout(w, r, http.StatusPaymentRequired, refusal)
	default:
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}
