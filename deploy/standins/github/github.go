// Package github is a fake of GitHub: the part of its REST API that serves releases
// (https://docs.github.com/rest/releases) and the host that serves their files, on one
// loopback listener.
//
// It behaves as GitHub does: pages with Link headers, weak ETags and 304s, rate limits to
// which a 304 to an authorised request does not count, secondary ones that say when to come back, drafts that only an authorised
// request sees, asset digests, download counts, files of a private repository at signed
// addresses that end. Releases start as Seeds and are kept in memory; through Server's methods
// tests change them, and make the API slow, broken or silent.
package github

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"

	"fledge.dev/deploy/standins/loopback"
)

// The repository that the stand-in knows, and the bearer token it takes. The
// token protects nothing: every release here is made up.
const (
	Owner = "fledge"
	Repo  = "fledge-mac"
	Token = "fledge-local-github-not-a-secret"
)

// OtherOwner is whom the repository can be transferred to.
const OtherOwner = "fledge-labs"

// Options configures Start.
type Options struct {
	// Addr is the loopback host:port to listen on; port 0 takes a free one.
	Addr string
	// InCluster lets Addr be any interface's, see loopback.Listen.
	InCluster bool
	// URL is where browsers find the downloads. Defaults to the address listened on.
	URL string
	// APIURL is where the API is called. Defaults to the same.
	APIURL string
	// Releases are served from the start, newest first. Defaults to Seeds.
	Releases []Release
	// Log receives the server's own errors. Defaults to silence.
	Log *slog.Logger
}

// Server is a running stand-in. Its methods may be used while it serves.
type Server struct {
	// api is the base of the API, url that of pages and downloads.
	api, url string
	store    *store
	private  atomic.Bool
	streams  atomic.Bool
	moved    atomic.Pointer[place] // where the repository is, if it is not Owner's Repo any more
	limits   *limits
	trouble  trouble
	http     *loopback.Server
}

// Start listens and serves until Close. It returns when requests are answered.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if opts.Releases == nil {
		opts.Releases = Seeds()
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	listener, err := loopback.Listen(ctx, opts.Addr, opts.InCluster)
	if err != nil {
		return nil, fmt.Errorf("github stand-in: %w", err)
	}
	url, err := loopback.URL(opts.URL, listener)
	api, apiErr := loopback.URL(opts.APIURL, listener)
	if err = errors.Join(err, apiErr); err != nil {
		return nil, errors.Join(fmt.Errorf("github stand-in: %w", err), listener.Close())
	}
	s := &Server{
		api:    api,
		url:    url,
		store:  newStore(opts.Releases),
		limits: newLimits(),
	}
	s.http = loopback.Serve(listener, s.handler(), opts.Log)
	return s, nil
}

// URL is the base of the API and of the downloads as browsers reach them, without a
// trailing slash.
func (s *Server) URL() string { return s.url }

// SetPrivate makes the repository private, or public again: a private one is not there without the token, nor are its files.
func (s *Server) SetPrivate(private bool) { s.private.Store(private) }

// Stream has the API send the bytes of an asset itself instead of their address, which GitHub's documentation allows it.
func (s *Server) Stream(streams bool) { s.streams.Store(streams) }

// place is an owner and a name.
type place struct{ owner, repo string }

// Rename gives the repository another name. As at GitHub, the API and the downloads redirect from
// the first one.
func (s *Server) Rename(repo string) { s.moved.Store(&place{s.owner(), repo}) }

// Transfer gives the repository to OtherOwner, and redirects as Rename does.
func (s *Server) Transfer() { s.moved.Store(&place{OtherOwner, s.repo()}) }

// owner is the repository's owner of today.
func (s *Server) owner() string {
	if at := s.moved.Load(); at != nil {
		return at.owner
	}
	return Owner
}

// repo is the repository's name of today.
func (s *Server) repo() string {
	if at := s.moved.Load(); at != nil {
		return at.repo
	}
	return Repo
}

// Close ends the server; requests under way get until ctx is done.
func (s *Server) Close(ctx context.Context) error {
	s.SetFault(Fault{}) // a delayed answer must not hold the shutdown up
	return s.http.Close(ctx)
}

func (s *Server) handler() http.Handler {
	api := http.NewServeMux()
	api.HandleFunc("GET /repos/{owner}/{repo}", s.repository)
	api.HandleFunc("GET /repos/{owner}/{repo}/releases", s.list)
	api.HandleFunc("GET /repos/{owner}/{repo}/releases/assets/{id}", s.asset)
	api.HandleFunc("/", notFound)

	mux := http.NewServeMux()
	asked := s.trouble.wrap(s.limits.wrap(s.requireRepo(api)))
	mux.Handle("/repos/", asked)
	mux.Handle(byIDPath, asked)
	for _, owner := range []string{Owner, OtherOwner} {
		mux.HandleFunc("GET /"+owner+"/{repo}/releases/download/{tag}/{name}", s.download)
	}
	mux.HandleFunc("GET "+storagePath+"{id}", s.stored)
	mux.HandleFunc("GET /{$}", s.index)
	return mux
}
