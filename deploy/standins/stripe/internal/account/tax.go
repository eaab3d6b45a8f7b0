package account

// taxPercent is what every place takes.
const taxPercent = 10

// tax is what is added to an amount.
func tax(amount int64) int64 { return portion(amount, taxPercent, 100) }

// taxes returns the API objects of a tax, none of one that comes to nothing.
func taxes(amount, taxable int64) []Object {
	if amount == 0 {
		return []Object{}
	}
	return []Object{{
		"amount": amount, "tax_behavior": "exclusive", "tax_rate_details": Object{"tax_rate": "txr_local"}, "taxability_reason": "standard_rated",
		"taxable_amount": taxable, "type": "tax_rate_details",
	}}
}

// automaticTax says whether Stripe calculates taxes, and for whom.
func automaticTax(enabled bool) Object {
	tax := Object{"disabled_reason": nil, "enabled": enabled, "liability": nil}
	if enabled {
		tax["liability"] = Object{"type": "self"}
	}
	return tax
}

// calculatedTax says the same of something for which they have been calculated.
func calculatedTax(enabled bool) Object {
	tax := automaticTax(enabled)
	tax["provider"], tax["status"] = nil, nil
	if enabled {
		tax["provider"], tax["status"] = "stripe", "complete"
	}
	return tax
}

// EncodeTaxSettings returns the API object of the account's (https://docs.stripe.com/api/tax/settings).
func (tx *Tx) EncodeTaxSettings() Object {
	settings := Object{
		"object": "tax.settings", "livemode": false, "status": "active", "status_details": Object{"active": Object{}},
		"defaults":    Object{"provider": "stripe", "tax_behavior": "inferred_by_currency", "tax_code": "txcd_10103001"},
		"head_office": Object{"address": Object{"city": "Springfield", "country": "US", "line1": nil, "line2": nil, "postal_code": "62704", "state": "IL"}},
	}
	if tx.account.opts.NoTax {
		settings["status"], settings["head_office"] = "pending", nil
		settings["status_details"] = Object{"pending": Object{"missing_fields": []string{"head_office"}}}
	}
	return settings
}
