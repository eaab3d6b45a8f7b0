// Package oidc is a fake of the identity providers Google and Apple: two OpenID Connect
// issuers, /google and /apple, on one loopback listener.
//
// Instead of asking for a password it shows a page with prepared accounts and a free
// email field, so that a developer can be anybody. Both issuers implement the
// authorization code flow with PKCE (RFC 7636) and differ where the real ones
// do: Apple responds by a cross-site form POST, gives no name claim, writes
// email_verified as a string and calls a refusal user_cancelled_authorize.
//
// A subject depends only on the issuer's name and the email address, so people keep
// their accounts across restarts and port changes. Keys and flows are kept in memory.
// Everybody who reaches the page can sign in as anybody: Start therefore refuses every
// address and callback that is not on this machine, or in a cluster of tests.
package oidc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"fledge.dev/deploy/standins/loopback"
)

// Client identifiers and secrets that the local Kratos configuration carries.
// They protect nothing: the issuers only send people back to this machine.
const (
	GoogleClientID     = "fledge-local-google"
	GoogleClientSecret = "fledge-local-google-not-a-secret"
	AppleClientID      = "fledge-local-apple"
	AppleClientSecret  = "fledge-local-apple-not-a-secret"
)

// CallbackPath is where Kratos takes answers on the site's origin; the
// provider's id follows it.
const CallbackPath = "/api/auth/kratos/self-service/methods/oidc/callback/"

// Options configures Start.
type Options struct {
	// Addr is the loopback host:port to listen on; port 0 takes a free one.
	Addr string
	// InCluster lets Addr be any interface's, see loopback.Listen.
	InCluster bool
	// Issuer is the base of both issuers as Kratos reaches them, and URL the same
	// as browsers do. Both default to the address listened on.
	Issuer, URL string
	// GoogleHost is Google's own name where that leads here: the issuer is then at its root
	// over https, for the client PublicGoogleClientID. "" is the usual one.
	GoogleHost string
	// Apple is the same of Apple.
	Apple PublicApple
	// SiteOrigin is the site people are sent back to, such as
	// "http://localhost:8080". It must be on this machine or under a test name.
	SiteOrigin string
	// People are offered as one-click choices. Defaults to People.
	People []Person
	// Log receives the protocol's errors. Defaults to silence.
	Log *slog.Logger
}

// Server is a running stand-in.
type Server struct {
	*loopback.Server
	url string
}

// Start listens and serves until Close. It returns when requests are answered.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if err := requireLocalOrigin(opts.SiteOrigin); err != nil {
		return nil, err
	}
	if opts.People == nil {
		opts.People = People()
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	listener, err := loopback.Listen(ctx, opts.Addr, opts.InCluster)
	if err != nil {
		return nil, fmt.Errorf("oidc stand-in: %w", err)
	}
	handler, err := opts.handler(listener)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("oidc stand-in: %w", err), listener.Close())
	}
	return &Server{loopback.Serve(listener, handler, opts.Log), opts.URL}, nil
}

// URL is the base of both issuers as browsers reach them, without a trailing slash.
func (s *Server) URL() string { return s.url }

// handler completes the addresses.
func (opts *Options) handler(listener net.Listener) (_ http.Handler, err error) {
	if opts.URL, err = loopback.URL(opts.URL, listener); err != nil {
		return nil, err
	}
	if opts.Issuer, err = loopback.URL(opts.Issuer, listener); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	files := http.StripPrefix("/assets/", http.FileServerFS(assets()))
	mux.Handle("GET /assets/", files)
	for _, usual := range []*kind{google, apple} {
		kind, host := opts.publicly(usual)
		redirect, err := url.JoinPath(opts.SiteOrigin, CallbackPath, kind.name)
		if err != nil {
			return nil, err
		}
		base, pattern := opts.Issuer+"/"+kind.name, "/"+kind.name+"/"
		pages := opts.URL + "/" + kind.name
		if host != "" {
			if base, err = loopback.URL("https://"+host, listener); err != nil {
				return nil, err
			}
			pages, pattern = base, host+"/"
			mux.Handle("GET "+host+"/assets/", files)
		}
		issuer, err := newIssuer(kind, place{issuer: base, pages: pages, redirect: redirect}, *opts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind.name, err)
		}
		mux.Handle(pattern, http.StripPrefix(strings.TrimSuffix(pattern[strings.IndexByte(pattern, '/'):], "/"), issuer))
	}
	// The pages post forms that end on the site's origin, so form-action stays open.
	return loopback.Page("default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'", mux), nil
}
