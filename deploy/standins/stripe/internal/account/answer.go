package account

import "time"

// Answer is what a request with an idempotency key got
// (https://docs.stripe.com/api/idempotent_requests).
type Answer struct {
	IdempotencyKey string
	// Request is a hash over the method, the path and the parameters.
	Request string
	Status  int
	Body    []byte
	At      time.Time
}

// Key identifies the row.
func (a *Answer) Key() string { return a.IdempotencyKey }

// answersLive is how long Stripe promises to remember a key, in real time.
const answersLive = 24 * time.Hour

// Answered returns what a key got before; nil when it is new.
func (tx *Tx) Answered(key string) *Answer {
	old := tx.account.opts.Clock.Now().Add(-answersLive)
	if len(tx.Answers.rows) > 0 && tx.Answers.rows[0].At.Before(old) {
		tx.Answers.keep(func(a *Answer) bool { return !a.At.Before(old) })
	}
	return tx.Answers.Get(key)
}

// Remember keeps an answer for whoever asks with its key again.
func (tx *Tx) Remember(a Answer) {
	a.At = tx.account.opts.Clock.Now()
	tx.Answers.put(&a)
}
