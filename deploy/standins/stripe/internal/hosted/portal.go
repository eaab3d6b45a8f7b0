package hosted

import (
	"net/http"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

// notices are what a page says after something was done.
var notices = map[string]string{
	"cancelled": "Your plan has been cancelled. You can use it until the end of the period.",
	"kept":      "Your plan goes on.",
	"changed":   "Your plan has been changed.",
	"scheduled": "Your plan changes with the next period.",
	"card":      "Your card has been saved.",
	"expired":   "Your card has expired.",
	"paid":      "Thank you, the invoice has been paid.",
}

func (p *pages) portalRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /p/login/{configuration}", func(w http.ResponseWriter, _ *http.Request) {
		p.render(w, http.StatusOK, "portal_login.html", view{Title: "Sign in to the customer portal"})
	})
	mux.HandleFunc("POST /p/login/{configuration}", p.signIn)
	mux.HandleFunc("GET /p/session/{secret}", p.portal)
	mux.HandleFunc("GET /p/session/{secret}/{page}", p.portal)
	mux.HandleFunc("POST /p/session/{secret}/cancel", p.act("cancelled", func(tx *account.Tx, s *account.Subscription) {
		if s.CancelAt == 0 {
			tx.CancelAtPeriodEnd(s, false)
		}
	}))
	mux.HandleFunc("POST /p/session/{secret}/keep", p.act("kept", (*account.Tx).Keep))
	mux.HandleFunc("POST /p/session/{secret}/change", p.change)
	mux.HandleFunc("POST /p/session/{secret}/card", p.card)
	mux.HandleFunc("POST /p/session/{secret}/expire", p.expire)
}

// signIn leads into the portal of the newest customer with an address. Stripe sends the link there
// instead, and says the same to an address that no customer has.
func (p *pages) signIn(w http.ResponseWriter, r *http.Request) {
	email, link := r.PostFormValue("email"), ""
	refusal, ok := p.update(w, r, func(tx *account.Tx) error {
		c := tx.Configurations.Get(r.PathValue("configuration"))
		rows := tx.Customers.Newest(func(c *account.Customer) bool { return !c.Deleted && c.Email == email })
		if c == nil || !c.SignIn || len(rows) == 0 {
			return nil
		}
		session, err := tx.CreatePortal(account.Portal{Customer: rows[0].ID, ReturnURL: c.ReturnURL, Configuration: c.ID})
		if err == nil {
			link = "/p/session/" + session.Secret
		}
		return err
	})
	if ok {
		p.render(w, http.StatusOK, "portal_login.html", view{Title: "Check your email", Problem: refusal, Page: map[string]string{"Email": email, "Link": link}})
	}
}

// session works with a portal session and answers itself when there is none.
func (p *pages) session(w http.ResponseWriter, r *http.Request, work func(*account.Tx, *account.Portal) error) (refusal string, ok bool) {
	found := false
	refusal, ok = p.update(w, r, func(tx *account.Tx) error {
		session := tx.PortalBySecret(r.PathValue("secret"))
		if found = session != nil; !found {
			return nil
		}
		return work(tx, session)
	})
	if ok && !found {
		p.message(w, http.StatusNotFound, "Your session has ended", "Go back to the site and open the billing page again.")
	}
	return refusal, ok && found
}

// owned is the session's customer's subscription that a form is about.
func owned(tx *account.Tx, session *account.Portal, id string) (*account.Subscription, error) {
	s, err := tx.Subscription(id, "subscription")
	if err == nil && (s.Customer != session.Customer || s.Ended()) {
		err = account.Refuse("", "", "This plan has ended.")
	}
	return s, err
}

func (p *pages) act(done string, work func(*account.Tx, *account.Subscription)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		to := ""
		refusal, ok := p.session(w, r, func(tx *account.Tx, session *account.Portal) error {
			s, err := owned(tx, session, r.FormValue("subscription"))
			if err != nil {
				return err
			}
			work(tx, s)
			to = finish(session, done)
			return nil
		})
		p.answer(w, r, refusal, ok, to)
	}
}

// finish is where the browser goes after something was done. A flow ends with it.
func finish(session *account.Portal, done string) string {
	if session.Flow != "" && session.AfterURL != "" {
		return session.AfterURL
	}
	session.Flow = ""
	return "/p/session/" + session.Secret + "?done=" + done
}

func (p *pages) answer(w http.ResponseWriter, r *http.Request, refusal string, ok bool, to string) {
	switch {
	case !ok:
	case refusal != "":
		p.showPortal(w, r, http.StatusPaymentRequired, refusal)
	default:
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

// change gives the subscription another plan: at once, or with the next
// period where the session's configuration says so. That undoes a scheduled cancellation.
func (p *pages) change(w http.ResponseWriter, r *http.Request) {
	to := ""
	refusal, ok := p.session(w, r, func(tx *account.Tx, session *account.Portal) error {
		s, err := owned(tx, session, r.FormValue("subscription"))
		if err != nil {
			return err
		}
		change, done := account.Change{Price: r.FormValue("price"), Quantity: s.Quantity}, "changed"
		if tx.Prices.Get(change.Price) != nil && tx.Waits(session, s, change) {
			done = "scheduled"
			err = tx.ScheduleChange(s, change)
		} else {
			err = tx.ChangePlan(s, change, account.ProrateNow, true)
		}
		if err != nil {
			return err
		}
		if s.CancelAt > 0 {
			tx.Keep(s)
		}
		to = finish(session, done)
		return nil
	})
	p.answer(w, r, refusal, ok, to)
}

// card saves another card for the customer and all that they pay for.
func (p *pages) card(w http.ResponseWriter, r *http.Request) {
	to := ""
	refusal, ok := p.session(w, r, func(tx *account.Tx, session *account.Portal) error {
		card, err := tx.SaveCard(session.Customer, r.FormValue("card"))
		if err != nil {
			return err
		}
		to = finish(session, "card")
		return tx.PayWith(session.Customer, card)
	})
	p.answer(w, r, refusal, ok, to)
}

func (p *pages) expire(w http.ResponseWriter, r *http.Request) {
	to := ""
	refusal, ok := p.session(w, r, func(tx *account.Tx, session *account.Portal) error {
		to = finish(session, "expired")
		if card := tx.PayingCard(session.Customer); card != nil {
			tx.Expire(card)
		}
		return nil
	})
	p.answer(w, r, refusal, ok, to)
}
