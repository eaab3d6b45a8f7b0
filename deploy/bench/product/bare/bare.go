// Package bare is a minimal sign-up on the product's own stack: an HTTP request, one gRPC
// call, one INSERT. It has no middleware, no TLS between its two processes, no event, and
// no index other than those of pgbench's table. Its cost is the minimum for a sign-up that
// passes through two processes.
package bare

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

// Route is where sign-ups are taken, and Health where it is told that they are.
const (
	Route  = "/sign-up"
	Health = "/health"
)

// insert writes $1 as pgbench's script does.
const insert = "INSERT INTO pgbench.plain (email, source, created_at) VALUES ($1, 'hero_section', now()) ON CONFLICT (email) DO NOTHING"

// Gateway answers at address by calling the service at another, until ctx ends.
func Gateway(ctx context.Context, address, service string) error {
	conn, err := grpc.NewClient(service, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	waitlist := waitlistv1.NewWaitlistServiceClient(conn)
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET(Health, func(c *gin.Context) { c.Status(http.StatusOK) })
	engine.POST(Route, func(c *gin.Context) {
		var body struct {
			Email string `json:"email" binding:"required"`
		}
		if err := c.ShouldBindJSON(&body); err != nil {
			c.AbortWithStatus(http.StatusBadRequest)
			return
		}
		if _, err := waitlist.Join(c.Request.Context(), &waitlistv1.JoinRequest{Email: body.Email}); err != nil {
			c.AbortWithStatus(http.StatusBadGateway)
			return
		}
		c.JSON(http.StatusOK, gin.H{"success": true})
	})
	server := http.Server{Addr: address, Handler: engine, ReadHeaderTimeout: time.Second}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

type service struct {
	waitlistv1.UnimplementedWaitlistServiceServer
	pool *pgxpool.Pool
}

// Join inserts a row.
func (s service) Join(ctx context.Context, req *waitlistv1.JoinRequest) (*waitlistv1.JoinResponse, error) {
	_, err := s.pool.Exec(ctx, insert, req.GetEmail())
	return &waitlistv1.JoinResponse{}, err
}

// Service answers at address by writing to a database, until ctx ends.
func Service(ctx context.Context, address, databaseURL string) error {
	pool, err := pgxpool.New(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer pool.Close()
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	waitlistv1.RegisterWaitlistServiceServer(server, service{pool: pool})
	defer context.AfterFunc(ctx, server.Stop)()
	return server.Serve(listener)
}
