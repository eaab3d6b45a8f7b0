package gateway

import (
	"errors"

	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/route"
)

// RateLimits are how often one client may ask, at each replica.
type RateLimits struct {
	// The rates of one client address: everything, joining the waitlist, starting a sign-in,
	// trading the cookie for tokens, handing over and trading codes and refresh tokens, and
	// opening Stripe's pages. SESSION_LIMIT has room for an office behind one address: 200
	// browsers that load a page at the same moment, then ten a second. An audience of 80 joins
	// with forms that wait for their turn (SIGN_UP_LIMIT), and signs in at the same moment
	// (SIGN_IN_LIMIT), also on its Macs (TOKEN_LIMIT, twice for each).
	RateLimitPerMinute     float64 `env:"RATE_LIMIT_PER_MINUTE" envDefault:"3000"`
	RateLimitBurst         int     `env:"RATE_LIMIT_BURST" envDefault:"300"`
	SignUpLimitPerMinute   float64 `env:"SIGN_UP_LIMIT_PER_MINUTE" envDefault:"30"`
	SignUpLimitBurst       int     `env:"SIGN_UP_LIMIT_BURST" envDefault:"60"`
	SignInLimitPerMinute   float64 `env:"SIGN_IN_LIMIT_PER_MINUTE" envDefault:"60"`
	SignInLimitBurst       int     `env:"SIGN_IN_LIMIT_BURST" envDefault:"90"`
	SessionLimitPerMinute  float64 `env:"SESSION_LIMIT_PER_MINUTE" envDefault:"600"`
	SessionLimitBurst      int     `env:"SESSION_LIMIT_BURST" envDefault:"200"`
	TokenLimitPerMinute    float64 `env:"TOKEN_LIMIT_PER_MINUTE" envDefault:"240"`
	TokenLimitBurst        int     `env:"TOKEN_LIMIT_BURST" envDefault:"200"`
	CheckoutLimitPerMinute float64 `env:"CHECKOUT_LIMIT_PER_MINUTE" envDefault:"30"`
	CheckoutLimitBurst     int     `env:"CHECKOUT_LIMIT_BURST" envDefault:"30"`
	// The rate at which one account may ask Stripe about its checkout.
	CheckoutSyncLimitPerMinute float64 `env:"CHECKOUT_SYNC_LIMIT_PER_MINUTE" envDefault:"30"`
	CheckoutSyncLimitBurst     int     `env:"CHECKOUT_SYNC_LIMIT_BURST" envDefault:"30"`
	// The rate at which one address may report on emails: providers come back later with what is refused.
	MailReportLimitPerMinute float64 `env:"MAIL_REPORT_LIMIT_PER_MINUTE" envDefault:"1200"`
	MailReportLimitBurst     int     `env:"MAIL_REPORT_LIMIT_BURST" envDefault:"600"`
}

// rates are the same by the limits that routes name.
func (r RateLimits) rates() map[route.Limit]limits.Rate {
	return map[route.Limit]limits.Rate{
		route.General:      {PerMinute: r.RateLimitPerMinute, Burst: r.RateLimitBurst},
		route.SignUp:       {PerMinute: r.SignUpLimitPerMinute, Burst: r.SignUpLimitBurst},
		route.SignIn:       {PerMinute: r.SignInLimitPerMinute, Burst: r.SignInLimitBurst},
		route.Session:      {PerMinute: r.SessionLimitPerMinute, Burst: r.SessionLimitBurst},
		route.Token:        {PerMinute: r.TokenLimitPerMinute, Burst: r.TokenLimitBurst},
		route.Checkout:     {PerMinute: r.CheckoutLimitPerMinute, Burst: r.CheckoutLimitBurst},
		route.CheckoutSync: {PerMinute: r.CheckoutSyncLimitPerMinute, Burst: r.CheckoutSyncLimitBurst},
		route.MailReport:   {PerMinute: r.MailReportLimitPerMinute, Burst: r.MailReportLimitBurst},
	}
}

func (r RateLimits) validateRates() error {
	for _, rate := range r.rates() {
		if !(rate.PerMinute > 0) || rate.Burst < 1 { // NaN is neither
			return errors.New("every …_PER_MINUTE and …_BURST must be positive")
		}
	}
	return nil
}
