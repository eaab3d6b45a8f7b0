// Package billing tests the billing service against the stand-in (fake) for Stripe: real
// calls, real webhooks, and a clock that can be advanced.
package billing
