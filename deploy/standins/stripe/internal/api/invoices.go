package api

import "fledge.dev/deploy/standins/stripe/internal/account"

func invoiceEndpoints() map[string]handler {
	return map[string]handler{
		"GET /v1/invoices":                          listInvoices,
		"GET /v1/invoices/{id}":                     retrieve(invoice, (*account.Tx).EncodeInvoice),
		"POST /v1/invoices/{id}":                    updateInvoice,
		"GET /v1/invoices/{id}/lines":               listInvoiceLines,
		"POST /v1/invoices/{id}/void":               voidInvoice,
		"POST /v1/invoices/{id}/pay":                payInvoice,
		"POST /v1/invoices/{id}/mark_uncollectible": giveInvoiceUp,
		"GET /v1/invoice_payments":                  listInvoicePayments,
	}
}

func invoice(tx *account.Tx, id string) (*account.Invoice, error) { return tx.Invoice(id, "id") }

func listInvoices(tx *account.Tx, r *request) (account.Object, error) {
	w, of, subscription, created := r.window(), r.text("customer"), r.text("subscription"), r.span("created")
	status := r.choice("status", "draft", "open", "paid", "uncollectible", "void")
	r.choice("collection_method", "charge_automatically")
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Invoices.Newest(func(i *account.Invoice) bool {
		return matches(of, i.Customer) && matches(subscription, i.Subscription) && matches(status, i.Status) && created(i.Created)
	})
	return page("/v1/invoices", w, rows, (*account.Invoice).Key, tx.EncodeInvoice)
}

func listInvoiceLines(tx *account.Tx, r *request) (account.Object, error) {
	w := r.window()
	if err := r.done(); err != nil {
		return nil, err
	}
	found, err := invoice(tx, r.id())
	if err != nil {
		return nil, err
	}
	id := func(l account.Line) string { return l.ID }
	encode := func(l account.Line) account.Object { return tx.EncodeLine(found, l) }
	return page("/v1/invoices/"+found.ID+"/lines", w, found.Lines, id, encode)
}

func updateInvoice(tx *account.Tx, r *request) (account.Object, error) {
	given, advance := r.has("auto_advance"), r.boolean("auto_advance")
	if err := r.done(); err != nil {
		return nil, err
	}
	found, err := invoice(tx, r.id())
	if err != nil {
		return nil, err
	}
	if given {
		if err := tx.SetAutoAdvance(found, advance); err != nil {
			return nil, err
		}
	}
	return tx.EncodeInvoice(found), nil
}

func voidInvoice(tx *account.Tx, r *request) (account.Object, error) {
	if err := r.done(); err != nil {
		return nil, err
	}
	found, err := invoice(tx, r.id())
	if err != nil {
		return nil, err
	}
	if err := tx.Void(found); err != nil {
		return nil, err
	}
	return tx.EncodeInvoice(found), nil
}

func giveInvoiceUp(tx *account.Tx, r *request) (account.Object, error) {
	if err := r.done(); err != nil {
		return nil, err
	}
	found, err := invoice(tx, r.id())
	if err != nil {
		return nil, err
	}
	if err := tx.GiveUp(found); err != nil {
		return nil, err
	}
	return tx.EncodeInvoice(found), nil
}

func payInvoice(tx *account.Tx, r *request) (account.Object, error) {
	card := r.text("payment_method")
	r.boolean("off_session")
	if err := r.done(); err != nil {
		return nil, err
	}
	found, err := invoice(tx, r.id())
	if err != nil {
		return nil, err
	}
	if card != "" && tx.Cards.Get(card) == nil {
		return nil, account.Refuse("resource_missing", "payment_method", "No such PaymentMethod: '%s'", card)
	}
	if err := tx.Pay(found, card); err != nil {
		return nil, err
	}
	return tx.EncodeInvoice(found), nil
}

func listInvoicePayments(tx *account.Tx, r *request) (account.Object, error) {
	w, of, created, status := r.window(), r.text("invoice"), r.span("created"), r.choice("status", "open", "paid", "canceled")
	intent := r.text("payment[payment_intent]")
	if kind := r.choice("payment[type]", "payment_intent"); intent != "" && kind == "" {
		r.fail(account.Refuse("parameter_missing", "payment[type]", "Missing required param: payment[type]."))
	}
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Payments.Newest(func(p *account.Payment) bool {
		return p.Invoice != "" && matches(of, p.Invoice) && matches(intent, p.ID) && created(p.Created) && matches(status, p.LinkStatus())
	})
	return page("/v1/invoice_payments", w, rows, func(p *account.Payment) string { return p.Link }, tx.EncodeInvoicePayment)
}
