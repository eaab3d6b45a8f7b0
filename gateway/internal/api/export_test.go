package api

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

// EngineRoutes lists what the engine really serves.
func (a *API) EngineRoutes() gin.RoutesInfo { return a.engine.Routes() }

// CheckQuery is what a route with these parameters holds a query against.
func CheckQuery(names ...string) gin.HandlerFunc { return checkQuery(names) }

// SetSignUpTimeout lets sign-ups take as long as tests may take.
func (a *API) SetSignUpTimeout(timeout time.Duration) { a.signUps.timeout = timeout }

// JoinThrough signs addresses up, batched as the interface batches them.
func JoinThrough(waitlist waitlistv1.WaitlistServiceClient) func(ctx context.Context, email string) error {
	s := &signUps{waitlist: waitlist, timeout: signUpTimeout}
	return func(ctx context.Context, email string) error {
		return s.join(ctx, &waitlistv1.JoinRequest{Email: email})
	}
}
