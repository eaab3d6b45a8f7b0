package oidc

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

const accountsPath = "/accounts"

// issuer is one provider: the protocol by op, the account page by us.
type issuer struct {
	kind     *kind
	store    *storage
	protocol *op.Provider
	people   []Person
}

// place says where an issuer is: its name, the base of what browsers open, and where it
// sends people back to.
type place struct{ issuer, pages, redirect string }

func newIssuer(k *kind, at place, opts Options) (http.Handler, error) {
	pages, name := at.pages, at.issuer
	store, err := newStorage(client{kind: k, pages: pages, redirect: at.redirect})
	if err != nil {
		return nil, err
	}
	config := &op.Config{
		CodeMethodS256:  true,
		AuthMethodPost:  true,
		SupportedScopes: []string{"openid", "email", "profile"},
		SupportedClaims: []string{"sub", "aud", "exp", "iat", "iss", "nonce", "email", "email_verified", "name"},
	}
	if _, err := rand.Read(config.CryptoKey[:]); err != nil {
		return nil, fmt.Errorf("code key: %w", err)
	}
	protocol, err := op.NewProvider(config, store, op.StaticIssuer(name),
		op.WithAllowInsecure(), op.WithLogger(opts.Log), op.WithCORSOptions(nil))
	if err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	i := &issuer{kind: k, store: store, protocol: protocol, people: opts.People}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+accountsPath, i.show)
	mux.HandleFunc("POST "+accountsPath, i.choose)
	if k.formPost {
		mux.Handle("POST "+notificationsPath, notifier{kind: k, issuer: name, key: store.key, site: opts.SiteOrigin})
	}
	if k.revokes {
		mux.HandleFunc("POST "+revocationPath, store.revoke)
		mux.HandleFunc("GET "+consentsPath, store.listConsents)
	}
	mux.HandleFunc("GET "+oidc.DiscoveryEndpoint, func(w http.ResponseWriter, r *http.Request) {
		found := op.CreateDiscoveryConfig(op.ContextWithIssuer(r.Context(), name), protocol, store)
		found.AuthorizationEndpoint = pages + protocol.AuthorizationEndpoint().Relative()
		op.Discover(w, found)
	})
	if k.knows != nil { // Apple's own addresses, which Kratos and identity know without the discovery
		for own, usual := range map[string]*op.Endpoint{
			"/auth/authorize": protocol.AuthorizationEndpoint(), "/auth/token": protocol.TokenEndpoint(), "/auth/keys": protocol.KeysEndpoint(),
		} {
			mux.HandleFunc(own, func(w http.ResponseWriter, r *http.Request) {
				r.URL.Path = usual.Relative()
				protocol.ServeHTTP(w, r)
			})
		}
	}
	mux.Handle("/", protocol)
	return mux, nil
}

// show lists the accounts to continue as.
func (i *issuer) show(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("request")
	if _, err := i.store.find(id); err != nil {
		i.renderAccounts(w, http.StatusNotFound, accountsPage{Problem: err.Error()})
		return
	}
	i.renderAccounts(w, http.StatusOK, accountsPage{Request: id})
}

// choose completes the authorization request with a code, or with a refusal.
func (i *issuer) choose(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	id := r.PostFormValue("request")
	if r.PostFormValue("cancel") != "" {
		i.refuse(w, r, id)
		return
	}
	email, err := parseEmail(r.PostFormValue("email"))
	if err != nil {
		i.renderAccounts(w, http.StatusUnprocessableEntity, accountsPage{Request: id, Problem: err.Error(), Email: r.PostFormValue("email")})
		return
	}
	picked, err := i.store.pick(id, choice{email: email, verified: r.PostFormValue("unverified") == "", refused: r.PostFormValue("refused") != "", whose: r.PostFormValue("whose")})
	if err != nil {
		i.renderAccounts(w, http.StatusNotFound, accountsPage{Problem: err.Error()})
		return
	}
	code, err := op.CreateAuthRequestCode(r.Context(), picked, i.store, i.protocol.Crypto())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	i.answer(w, r, picked, url.Values{"code": {code}})
}

func (i *issuer) refuse(w http.ResponseWriter, r *http.Request, id string) {
	asked, err := i.store.find(id)
	if err != nil {
		i.renderAccounts(w, http.StatusNotFound, accountsPage{Problem: err.Error()})
		return
	}
	_ = i.store.DeleteAuthRequest(r.Context(), id) // it only forgets, and cannot fail
	i.answer(w, r, asked, url.Values{"error": {i.kind.cancelled}})
}

// answer sends the result to the callback, the way the provider does it.
func (i *issuer) answer(w http.ResponseWriter, r *http.Request, asked *request, result url.Values) {
	result.Set("state", asked.GetState())
	if i.kind.formPost {
		i.renderPost(w, asked.GetRedirectURI(), result)
		return
	}
	http.Redirect(w, r, asked.GetRedirectURI()+"?"+result.Encode(), http.StatusSeeOther)
}
