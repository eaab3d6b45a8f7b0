// Package hook serves the hooks that Kratos calls while somebody signs in, on a
// listener of its own that only Kratos reaches. kratosconfig/files/hook.jsonnet makes
// the bodies.
//
// The guard runs before a new identity is stored and refuses it unless its only
// address is verified. The signed-in report is sent after the fact, at least
// once or not at all, and only brings the record up to date sooner than the
// next session would. So are the linked report, after a provider was added to an account, and those
// of a second factor, of which its owner is told.
package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
)

// The paths that the Kratos configuration names, and the header of its key.
const (
	GuardPath    = "/hooks/kratos/guard"
	SignedInPath = "/hooks/kratos/signed-in"
	LinkedPath   = "/hooks/kratos/linked"
	// These report that an authenticator app was added or removed, and recovery codes created or removed.
	SecondFactorPath  = "/hooks/kratos/second-factor"
	RecoveryCodesPath = "/hooks/kratos/recovery-codes"
	KeyHeader         = "X-Hook-Key"
)

// MessageUnverified is the id of the guard's message in the flow; the site shows
// a text of its own for it.
const MessageUnverified = 900100

const maxBody = 64 << 10

type handler struct {
	recorder *store.Store
	kratos   *kratos.Client
	clock    clock.Clock
	log      *slog.Logger
	key      config.Secret
}

// NewHandler serves the hooks to callers with the key.
func NewHandler(recorder *store.Store, k *kratos.Client, key config.Secret, clk clock.Clock, log *slog.Logger) http.Handler {
	h := &handler{recorder: recorder, kratos: k, clock: clk, log: log, key: key}
	mux := http.NewServeMux()
	for path, follow := range map[string]func(http.ResponseWriter, *http.Request, report){
		GuardPath: h.guard, SignedInPath: h.signedIn, LinkedPath: h.linked,
		SecondFactorPath: h.secondFactor(changeOfApp), RecoveryCodesPath: h.secondFactor(changeOfCodes),
	} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			var in report
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			follow(w, r, in)
		})
	}
	return h.authenticated(mux)
}

func (h *handler) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.key.Has(r.Header.Get(KeyHeader)) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

type report struct {
	FlowID   string `json:"flow_id"`
	Provider string `json:"provider"`
	Identity struct {
		ID     string `json:"id"`
		Traits struct {
			Email string `json:"email"`
		} `json:"traits"`
		Addresses []struct {
			Value    string `json:"value"`
			Verified bool   `json:"verified"`
		} `json:"verifiable_addresses"`
	} `json:"identity"`
	AuthenticatedAt *time.Time `json:"authenticated_at"`
}

// verifiedEmail is the address if it is the only one, verified, and the one that
// the person is filed under: Kratos has lower-cased it by Unicode's rules, which can make
// another mailbox of it.
func (r report) verifiedEmail() (string, bool) {
	a := r.Identity.Addresses
	if len(a) != 1 || !a[0].Verified {
		return "", false
	}
	return address.Same(a[0].Value, r.Identity.Traits.Email)
}

func (h *handler) guard(w http.ResponseWriter, r *http.Request, in report) {
	if _, ok := in.verifiedEmail(); ok {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h.log.WarnContext(r.Context(), "registration refused: address not verified", "provider", in.Provider)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write(refusal) // Kratos went away
}

// The shape that Kratos turns into a message of the flow's email field.
var refusal = fmt.Appendf(nil, `{"messages":[{"instance_ptr":"#/traits/email","messages":[{"id":%d,"text":"email_not_verified","type":"error"}]}]}`, MessageUnverified)

func (h *handler) signedIn(w http.ResponseWriter, r *http.Request, in report) {
	id, err := uuid.Parse(in.Identity.ID)
	email, ok := in.verifiedEmail()
	if err != nil || id == uuid.Nil || !ok {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	now := h.clock.Now()
	sign := account.SignIn{UserID: id, Email: email, Provider: knownProvider(in.Provider), ConfirmedAt: now, At: now}
	if in.AuthenticatedAt != nil {
		sign.At = in.AuthenticatedAt.UTC()
	}
	if _, err := h.recorder.RecordSignIn(r.Context(), sign, now); err != nil {
		h.log.ErrorContext(r.Context(), "sign-in not recorded", "error", err)
		w.WriteHeader(fault.Of(err).Kind.HTTPStatus())
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// linked asks Kratos for the account's providers: what is stored counts, not the report.
func (h *handler) linked(w http.ResponseWriter, r *http.Request, in report) {
	id, err := uuid.Parse(in.Identity.ID)
	if err != nil || id == uuid.Nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	_, err = h.recorder.ChangeProviders(r.Context(), id, h.clock.Now(), func(ctx context.Context) ([]string, error) {
		return h.kratos.Providers(ctx, id)
	})
	if err != nil {
		h.log.ErrorContext(r.Context(), "linked provider not recorded", "error", err)
		w.WriteHeader(fault.Of(err).Kind.HTTPStatus())
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// knownProvider drops what is not one: the last path segment of a flow that did
// not end at a provider's callback.
func knownProvider(name string) string {
	if name == "google" || name == "apple" {
		return name
	}
	return ""
}
