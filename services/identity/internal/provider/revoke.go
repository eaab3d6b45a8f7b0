package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/outside"
)

// After a failure Apple is not asked for the same identity, and for none if it did not answer at all:
// first for revokePause, then twice as long each time.
const (
	revokePause    = 10 * time.Second
	maxRevokePause = 10 * time.Minute
)

// Tokens are what Kratos keeps of a provider's.
type Tokens interface {
	// RefreshToken returns "" for an identity without the provider. It fails with kratos.ErrNoToken if there is no token
	// although there is the provider, and with kratos.ErrGone for an identity that is gone.
	RefreshToken(ctx context.Context, identity uuid.UUID, provider string) (string, error)
}

// Revoker ends people's consent at Apple ("Revoke tokens" of Apple's documentation), after which
// the site is not in the settings of their Apple Account any more.
type Revoker struct {
	place   *place
	tokens  Tokens
	http    *http.Client
	clock   clock.Clock
	log     *slog.Logger
	results *prometheus.CounterVec

	mu     sync.Mutex          // not held while Apple or Kratos is asked
	pauses map[uuid.UUID]pause // of identities whose last call has failed, and under everybody of all
}

// everybody has a pause while Apple does not answer.
var everybody = uuid.Nil

type pause struct {
	length time.Duration
	until  time.Time
}

// NewRevoker returns a revoker whose metric is registered with reg; without Apple's settings it does nothing.
func NewRevoker(cfg Config, tokens Tokens, clk clock.Clock, log *slog.Logger, reg prometheus.Registerer) (*Revoker, error) {
	r := &Revoker{pauses: map[uuid.UUID]pause{}, tokens: tokens, http: outside.Client(cfg.Timeout), clock: clk, log: log, results: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "identity_apple_revocations_total", Help: "Tokens that Apple was asked to revoke, by its answer: revoked, refused for good, or failed, after which an erasure asks again; and unreadable ones, of which Apple was not asked.",
	}, []string{"result"})}
	for _, result := range []string{"revoked", "refused", "failed", "unreadable"} {
		r.results.WithLabelValues(result)
	}
	for _, p := range cfg.places() {
		if p.name == Apple {
			r.place = &p
		}
	}
	return r, reg.Register(r.results)
}

// Revoke ends the consent of an identity's person. It does nothing for one who gave none, whose token cannot be read, or
// who is gone, and may be called again. done is false while Apple has no answer or refuses the product's
// credentials; after a failure it is not asked for a while, unless this is the last call. It fails
// as Unavailable while Kratos has no answer.
func (r *Revoker) Revoke(ctx context.Context, identity uuid.UUID, last bool) (done bool, err error) {
	if r.place == nil {
		return true, nil
	}
	if !last && r.pauseOf(identity).holds(r.clock) {
		return false, nil
	}
	token, err := r.tokens.RefreshToken(ctx, identity, Apple)
	switch {
	case errors.Is(err, kratos.ErrNoToken):
		r.reportUnreadable(ctx, identity)
	case err != nil && !errors.Is(err, kratos.ErrGone):
		return false, err
	}
	if token == "" {
		r.forget(identity)
		return true, nil
	}
	if all := r.pauseOf(everybody); !last && all.holds(r.clock) {
		r.keep(identity, pause{r.pauseOf(identity).length, all.until}) // so that Kratos is not asked meanwhile, either
		return false, nil
	}
	refused, answered, err := r.ask(ctx, token)
	switch all := r.pauseOf(everybody); {
	case answered:
		r.forget(everybody)
	case ctx.Err() == nil && !all.holds(r.clock): // meanwhile only last calls ask
		r.keep(everybody, all.after(r.clock))
	}
	if err != nil && !last {
		r.keep(identity, r.pauseOf(identity).after(r.clock))
	} else {
		r.forget(identity)
	}
	r.report(ctx, identity, refused, err)
	return err == nil, nil
}

// report counts what Apple answered.
func (r *Revoker) report(ctx context.Context, identity uuid.UUID, refused string, err error) {
	switch {
	case err != nil:
		r.results.WithLabelValues("failed").Inc()
		r.log.WarnContext(ctx, "Apple has not revoked a token", "user", identity, "err", err)
	case refused != "":
		r.results.WithLabelValues("refused").Inc()
		r.log.WarnContext(ctx, "Apple refuses to revoke a token", "user", identity, "code", refused)
	default:
		r.results.WithLabelValues("revoked").Inc()
	}
}

// reportUnreadable counts a token that Apple cannot be asked about.
func (r *Revoker) reportUnreadable(ctx context.Context, identity uuid.UUID) {
	r.results.WithLabelValues("unreadable").Inc()
	r.log.WarnContext(ctx, "Apple is not asked to revoke a token that Kratos cannot read", "user", identity)
}

// Consent reads what ends the consent of an identity's person, while Kratos still has it, and returns what asks Apple
// to. That asks once, and does nothing for one who gave none. It fails as Unavailable while Kratos has no answer.
func (r *Revoker) Consent(ctx context.Context, identity uuid.UUID) (end func(context.Context), err error) {
	if r.place == nil {
		return func(context.Context) {}, nil
	}
	token, err := r.tokens.RefreshToken(ctx, identity, Apple)
	switch {
	case errors.Is(err, kratos.ErrNoToken):
		return func(ctx context.Context) { r.reportUnreadable(ctx, identity) }, nil
	case err != nil && !errors.Is(err, kratos.ErrGone):
		return nil, err
	}
	return func(ctx context.Context) {
		if token == "" {
			return
		}
		refused, _, err := r.ask(ctx, token)
		r.report(ctx, identity, refused, err)
	}, nil
}

func (p pause) holds(clk clock.Clock) bool { return clk.Now().Before(p.until) }

// after is the pause after one more failure.
func (p pause) after(clk clock.Clock) pause {
	length := min(max(2*p.length, revokePause), maxRevokePause)
	return pause{length: length, until: clk.Now().Add(length)}
}

func (r *Revoker) pauseOf(identity uuid.UUID) pause {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pauses[identity]
}

func (r *Revoker) keep(identity uuid.UUID, p pause) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pauses[identity] = p
}

func (r *Revoker) forget(identity uuid.UUID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pauses, identity)
}

// ask returns Apple's code if asking again with this token would change nothing, and whether Apple
// answered at all.
func (r *Revoker) ask(ctx context.Context, token string) (refused string, answered bool, err error) {
	secret, err := r.place.secret(r.clock)
	if err != nil {
		return "", false, err
	}
	form := url.Values{"client_id": {r.place.clientID}, "client_secret": {secret}, "token": {token}, "token_type_hint": {"refresh_token"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.place.revocation, strings.NewReader(form.Encode()))
	if err != nil {
		return "", false, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := r.http.Do(req)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusOK {
		return "", true, nil
	}
	var said struct {
		Error string `json:"error"`
	}
	if resp.StatusCode == http.StatusBadRequest && json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&said) == nil {
		switch said.Error {
		case "invalid_request", "invalid_grant", "unsupported_token_type":
			return said.Error, true, nil
		}
	}
	return "", true, fmt.Errorf("status %d %s", resp.StatusCode, said.Error)
}
