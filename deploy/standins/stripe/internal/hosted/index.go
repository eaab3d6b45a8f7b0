package hosted

import (
	"net/http"
	"slices"
	"time"

	"fledge.dev/deploy/standins/stripe/internal/account"
	"fledge.dev/deploy/standins/stripe/internal/webhooks"
)

type indexView struct {
	Now           int64
	Deliveries    webhooks.Stats
	Subscriptions []subscriptionRow
	Charges       []chargeRow
	Events        []*account.Event
}

type subscriptionRow struct {
	account.Subscription
	Plan, Email string
}

type chargeRow struct {
	account.Charge
	Email string
}

// shown is how many events and charges the page lists.
const shown = 20

func (p *pages) indexRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", p.index)
	mux.HandleFunc("POST /clock", p.moveOn)
	mux.HandleFunc("POST /subscriptions/{id}/fail", p.control(func(tx *account.Tx, id string) error {
		s, err := tx.Subscription(id, "id")
		if err != nil {
			return err
		}
		if s.FailPayments == 0 {
			s.FailPayments = 1
		} else {
			s.FailPayments = 0
		}
		return nil
	}))
	mux.HandleFunc("POST /charges/{id}/refund", p.control(func(tx *account.Tx, id string) error {
		charge, err := tx.Charge(id, "id")
		if err == nil {
			_, err = tx.Refund(charge, 0, "", nil)
		}
		return err
	}))
	mux.HandleFunc("POST /charges/{id}/dispute", p.control(func(tx *account.Tx, id string) error {
		charge, err := tx.Charge(id, "id")
		if err == nil {
			_, err = tx.OpenDispute(charge)
		}
		return err
	}))
}

func (p *pages) index(w http.ResponseWriter, r *http.Request) {
	v := indexView{Deliveries: p.Deliveries()}
	_, ok := p.update(w, r, func(tx *account.Tx) error {
		v.Now = tx.Now()
		for _, s := range tx.Subscriptions.Newest(func(*account.Subscription) bool { return true }) {
			v.Subscriptions = append(v.Subscriptions, subscriptionRow{*s, tx.PriceName(s.Price), tx.Customers.Get(s.Customer).Email})
		}
		for _, c := range tx.Charges.Newest(func(c *account.Charge) bool { return !c.Failed }) {
			v.Charges = append(v.Charges, chargeRow{*c, tx.Customers.Get(c.Customer).Email})
		}
		v.Events = tx.Events.Newest(func(*account.Event) bool { return true })
		v.Charges, v.Events = v.Charges[:min(shown, len(v.Charges))], v.Events[:min(shown, len(v.Events))]
		return nil
	})
	if ok {
		p.render(w, http.StatusOK, "index.html", view{Title: "Local Stripe", Page: v})
	}
}

// Steps are the clock's buttons.
func (indexView) Steps() []step { return steps }

// steps are how far the buttons move the clock. A month takes two hours more, in
// which Stripe collects what it billed.
var steps = []step{
	{"hour", "One hour on", 0, time.Hour}, {"day", "One day on", 0, 24 * time.Hour}, {"month", "One month on", 1, 2 * time.Hour},
}

type step struct {
	Name, Label string
	months      int
	by          time.Duration
}

func (p *pages) moveOn(w http.ResponseWriter, r *http.Request) {
	i := slices.IndexFunc(steps, func(s step) bool { return s.Name == r.FormValue("step") })
	if i < 0 {
		p.message(w, http.StatusBadRequest, "The clock did not move", "There is no such step.")
		return
	}
	if err := p.Account.Advance(r.Context(), steps[i].months, steps[i].by); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (p *pages) control(work func(*account.Tx, string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		refusal, ok := p.update(w, r, func(tx *account.Tx) error { return work(tx, r.PathValue("id")) })
		switch {
		case !ok:
		case refusal != "":
			p.message(w, http.StatusBadRequest, "That did not work", refusal)
		default:
			http.Redirect(w, r, "/", http.StatusSeeOther)
		}
	}
}
