package hosted

import (
	"net/http"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

type invoiceView struct {
	account.Invoice
	Email string
	Print bool
	Cards []cardChoice
}

// Credit is what the customer's balance paid of it.
func (v invoiceView) Credit() int64 { return max(v.Total, 0) - v.Due }

// Open tells that it can be paid here.
func (v invoiceView) Open() bool { return v.Payable() }

func (p *pages) invoiceRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /i/{secret}", func(w http.ResponseWriter, r *http.Request) {
		p.invoice(w, r, http.StatusOK, view{Notice: notices[r.FormValue("done")]}, false)
	})
	mux.HandleFunc("GET /i/{secret}/print", func(w http.ResponseWriter, r *http.Request) {
		p.invoice(w, r, http.StatusOK, view{}, true)
	})
	mux.HandleFunc("POST /i/{secret}/pay", p.payInvoice)
}

func (p *pages) invoice(w http.ResponseWriter, r *http.Request, status int, v view, forPrint bool) {
	var page *invoiceView
	_, ok := p.update(w, r, func(tx *account.Tx) error {
		if i := tx.InvoiceBySecret(r.PathValue("secret")); i != nil && i.FinalizedAt > 0 {
			page = &invoiceView{Invoice: *i, Email: tx.Customers.Get(i.Customer).Email, Print: forPrint, Cards: cardChoices()}
		}
		return nil
	})
	switch {
	case !ok:
	case page == nil:
		p.message(w, http.StatusNotFound, "There is no such invoice", "The address may have been cut off.")
	default:
		v.Title, v.Page = "Invoice "+page.Number, page
		p.render(w, status, "invoice.html", v)
	}
}

func (p *pages) payInvoice(w http.ResponseWriter, r *http.Request) {
	secret, to := r.PathValue("secret"), ""
	refusal, ok := p.update(w, r, func(tx *account.Tx) error {
		i := tx.InvoiceBySecret(secret)
		if i == nil {
			return nil
		}
		to = "/i/" + i.Secret + "?done=paid"
		if i.Status == account.InvoicePaid {
			return nil
		}
		card, err := tx.SaveCard(i.Customer, r.FormValue("card"))
		if err != nil {
			return err
		}
		return tx.Pay(i, card.ID)
	})
	switch {
	case !ok:
	case refusal != "" || to == "":
		p.invoice(w, r, http.StatusPaymentRequired, view{Problem: refusal}, false)
	default:
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}
