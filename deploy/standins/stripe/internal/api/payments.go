package api

import "fledge.dev/deploy/standins/stripe/internal/account"

func paymentEndpoints() map[string]handler {
	return map[string]handler{
		"GET /v1/payment_intents/{id}":            retrieve(payment, (*account.Tx).EncodePayment),
		"GET /v1/charges":                         listCharges,
		"GET /v1/charges/{id}":                    retrieve(charge, (*account.Tx).EncodeCharge),
		"POST /v1/refunds":                        createRefund,
		"GET /v1/refunds":                         listRefunds,
		"GET /v1/refunds/{id}":                    retrieve((*account.Tx).RefundByID, (*account.Tx).EncodeRefund),
		"GET /v1/radar/early_fraud_warnings/{id}": retrieve((*account.Tx).Warning, (*account.Tx).EncodeWarning),
		"GET /v1/disputes":                        listDisputes,
		"GET /v1/disputes/{id}":                   retrieve((*account.Tx).Dispute, (*account.Tx).EncodeDispute),
	}
}

func payment(tx *account.Tx, id string) (*account.Payment, error) { return tx.Payment(id, "id") }

func charge(tx *account.Tx, id string) (*account.Charge, error) { return tx.Charge(id, "id") }

func listCharges(tx *account.Tx, r *request) (account.Object, error) {
	w, of, intent, created := r.window(), r.text("customer"), r.text("payment_intent"), r.span("created")
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Charges.Newest(func(c *account.Charge) bool {
		return matches(of, c.Customer) && matches(intent, c.Payment) && created(c.Created)
	})
	return page("/v1/charges", w, rows, (*account.Charge).Key, tx.EncodeCharge)
}

func createRefund(tx *account.Tx, r *request) (account.Object, error) {
	of, intent, reason := r.text("charge"), r.text("payment_intent"), r.text("reason")
	given, amount, metadata := r.has("amount"), r.integer("amount", 0), r.words("metadata")
	if given && amount < 1 {
		r.fail(account.Refuse("parameter_invalid_integer", "amount", "This value must be greater than or equal to 1."))
	}
	if (of == "") == (intent == "") {
		r.fail(account.Refuse("parameter_missing", "charge", "One of the following params should be provided for this request: payment_intent or charge."))
	}
	if err := r.done(); err != nil {
		return nil, err
	}
	if intent != "" {
		found, err := tx.Payment(intent, "payment_intent")
		if err != nil {
			return nil, err
		}
		of = found.LatestCharge
	}
	found, err := tx.Charge(of, "charge")
	if err != nil {
		return nil, err
	}
	refund, err := tx.Refund(found, amount, reason, metadata)
	if err != nil {
		return nil, err
	}
	return tx.EncodeRefund(refund), nil
}

func listRefunds(tx *account.Tx, r *request) (account.Object, error) {
	w, of, intent, created := r.window(), r.text("charge"), r.text("payment_intent"), r.span("created")
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Refunds.Newest(func(f *account.Refund) bool {
		return matches(of, f.Charge) && matches(intent, tx.Charges.Get(f.Charge).Payment) && created(f.Created)
	})
	return page("/v1/refunds", w, rows, (*account.Refund).Key, tx.EncodeRefund)
}

func listDisputes(tx *account.Tx, r *request) (account.Object, error) {
	w, of, intent, created := r.window(), r.text("charge"), r.text("payment_intent"), r.span("created")
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Disputes.Newest(func(d *account.Dispute) bool {
		return matches(of, d.Charge) && matches(intent, tx.Charges.Get(d.Charge).Payment) && created(d.Created)
	})
	return page("/v1/disputes", w, rows, (*account.Dispute).Key, tx.EncodeDispute)
}
