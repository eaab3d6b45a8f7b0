package mail

import (
	"math/rand/v2"
	"sync"
	"time"
)

// While no email would go, one is tried after each pause. The pauses double.
const (
	shortestPause = 2 * time.Second
	longestPause  = 5 * time.Minute
)

// maxRefused is how many recipients in a row a server may refuse, without a status that names the recipient, before it
// is us whom it refuses.
const maxRefused = 5

// breaker is the one pause for all emails of a process, so that a mail server that is down is
// not stormed, and one that refuses our password does not lock the account.
type breaker struct {
	now func() time.Time

	mu      sync.Mutex
	pauses  int // since the last success
	until   time.Time
	probing bool
	// refused are the recipients in a row that were refused without a status that names the recipient.
	refused map[string]bool
}

// enter reports whether an email may be tried now, and otherwise after how long to ask again.
// Whoever may has to leave.
func (b *breaker) enter() (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pauses == 0 {
		return 0, true
	}
	if rest := b.until.Sub(b.now()); rest > 0 {
		return rest + rand.N(rest/4+time.Second), false
	}
	if b.probing {
		return time.Second + rand.N(time.Second), false
	}
	b.probing = true
	return 0, true
}

// leave says whether the try was blocked.
func (b *breaker) leave(blocked bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !blocked:
		b.pauses, b.probing = 0, false
	case b.pauses == 0 || b.probing: // others that were under way when the pause began do not prolong it
		b.until = b.now().Add(min(shortestPause<<min(b.pauses, 10), longestPause))
		b.pauses++
		b.probing = false
	}
}

// record has a refusal block all emails if too many different recipients were refused in a row without being named.
// f is what became of the try: nil if the email was sent.
func (b *breaker) record(recipient string, f *failure) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case f != nil && f.verdict == blocked:
	case f == nil || f.verdict == deferred || f.namesRecipient():
		clear(b.refused)
	case len(b.refused) >= maxRefused:
		f.verdict = blocked
	default:
		if b.refused == nil {
			b.refused = map[string]bool{}
		}
		b.refused[recipient] = true
	}
}
