package stripe

import "slices"

// Stripe counts most currencies in hundredths. These it does not:
// https://docs.stripe.com/currencies#zero-decimal and, in thousandths, #three-decimal.
var (
	whole       = []string{"bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf"}
	thousandths = []string{"bhd", "jod", "kwd", "omr", "tnd"}
)

// Hundredths turns an amount in a currency's smallest unit, as Stripe has it, into hundredths of
// the currency, rounded.
func Hundredths(amount int64, currency string) int64 {
	switch {
	case slices.Contains(whole, currency):
		return amount * 100
	case slices.Contains(thousandths, currency) && amount < 0:
		return (amount - 5) / 10
	case slices.Contains(thousandths, currency):
		return (amount + 5) / 10
	}
	return amount
}

// WholeCurrencies are those of which Stripe counts no smaller unit.
func WholeCurrencies() []string { return slices.Clone(whole) }

// ThousandthCurrencies are those that it counts in thousandths.
func ThousandthCurrencies() []string { return slices.Clone(thousandths) }
