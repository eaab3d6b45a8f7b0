// Package billingtest runs the billing service against the stand-in for Stripe:
// real calls, real webhooks, a clock that moves.
package billingtest
