package api

import (
	"context"

	"github.com/gin-gonic/gin"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

// EngineRoutes lists what the engine really serves.
func (a *API) EngineRoutes() gin.RoutesInfo { return a.engine.Routes() }

// CheckQuery is what a route with these parameters holds a query against.
func CheckQuery(names ...string) gin.HandlerFunc { return checkQuery(names) }

// JoinThrough signs addresses up by the calls that they share.
func JoinThrough(waitlist waitlistv1.WaitlistServiceClient) func(ctx context.Context, email string) error {
	s := &signUps{waitlist: waitlist}
	return func(ctx context.Context, email string) error {
		return s.join(ctx, &waitlistv1.JoinRequest{Email: email})
	}
}
