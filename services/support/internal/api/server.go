// Package api serves support tickets over gRPC: it reads requests, calls the store
// and writes answers. Policy says who may call what, and is enforced before a
// handler runs.
package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/ttlcache"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
)

// statsAge is how old the statistics of the overview may be.
const statsAge = 5 * time.Second

// Server implements supportv1.SupportServiceServer.
type Server struct {
	supportv1.UnimplementedSupportServiceServer
	store   *store.Store
	people  Identity
	targets ticket.Targets
	stats   *ttlcache.Value[store.Stats]
	log     *slog.Logger
	tickets *prometheus.CounterVec
	updates *prometheus.CounterVec
}

// Identity knows the addresses of accounts; *identityclient.Client does.
type Identity interface {
	// Addresses returns those of the accounts that are in use and whose emails arrive.
	Addresses(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// NewServer returns a server over the store that shows when first answers are due by targets,
// counts in reg and logs what staff changes.
func NewServer(s *store.Store, people Identity, targets ticket.Targets, clk clock.Clock, reg *prometheus.Registry, log *slog.Logger) (*Server, error) {
	server := &Server{store: s, people: people, targets: targets, stats: ttlcache.New(clk, statsAge, s.Stats), log: log}
	return server, server.register(reg)
}

// CreateTicket opens a ticket for the caller.
func (s *Server) CreateTicket(ctx context.Context, req *supportv1.CreateTicketRequest) (*supportv1.CreateTicketResponse, error) {
	customer, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	content, err := decodeContent(req)
	if err != nil {
		return nil, err
	}
	if err := ticket.CheckKey(req.GetIdempotencyKey()); err != nil {
		return nil, err
	}
	t, isNew, err := s.store.Create(ctx, customer, content, req.GetIdempotencyKey())
	if err != nil {
		return nil, err
	}
	s.count(t, isNew)
	return &supportv1.CreateTicketResponse{Ticket: encodeTicket(t)}, nil
}

// ListMyTickets returns a page of the caller's own tickets.
func (s *Server) ListMyTickets(ctx context.Context, req *supportv1.ListMyTicketsRequest) (*supportv1.ListMyTicketsResponse, error) {
	customer, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	after, err := decodeCursor(store.MineCursor, req.GetCursor())
	if err != nil {
		return nil, err
	}
	limit, err := decodeCount("limit", req.GetLimit(), store.MaxMine, store.MaxMine)
	if err != nil {
		return nil, err
	}
	threads, next, err := s.store.Mine(ctx, customer.ID, after, limit)
	if err != nil {
		return nil, err
	}
	resp := &supportv1.ListMyTicketsResponse{Threads: make([]*supportv1.Thread, len(threads)), NextCursor: encodeCursor(store.MineCursor, next)}
	for i, t := range threads {
		resp.Threads[i] = &supportv1.Thread{Ticket: encodeTicket(t.Ticket), Messages: encodeMessages(t.Messages, false), Earlier: t.Earlier}
	}
	return resp, nil
}

// ReplyToTicket adds to a ticket of the caller's own.
func (s *Server) ReplyToTicket(ctx context.Context, req *supportv1.ReplyToTicketRequest) (*supportv1.ReplyToTicketResponse, error) {
	customer, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, err
	}
	body, err := ticket.ParseText("message", req.GetMessage())
	if err != nil {
		return nil, err
	}
	if err := ticket.CheckKey(req.GetIdempotencyKey()); err != nil {
		return nil, err
	}
	t, isNew, err := s.store.Reply(ctx, customer, id, body, req.GetIdempotencyKey())
	if err != nil {
		return nil, err
	}
	if isNew {
		s.updates.WithLabelValues(string(ticket.Customer), string(t.Status)).Inc()
	}
	return &supportv1.ReplyToTicketResponse{Ticket: encodeTicket(t)}, nil
}

// GetStats counts for the overview.
func (s *Server) GetStats(ctx context.Context, _ *supportv1.GetStatsRequest) (*supportv1.GetStatsResponse, error) {
	stats, err := s.stats.Get(ctx)
	if err != nil {
		return nil, err
	}
	return encodeStats(stats), nil
}
