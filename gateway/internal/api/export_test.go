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

// BePatient has sign-ups wait for each other for as long as tests may take.
func (a *API) BePatient(patience time.Duration) { a.signUps.patience = patience }

// JoinThrough signs addresses up by the calls that they share.
func JoinThrough(waitlist waitlistv1.WaitlistServiceClient) func(ctx context.Context, email string) error {
	s := &signUps{waitlist: waitlist, patience: signUpPatience}
	return func(ctx context.Context, email string) error {
		return s.join(ctx, &waitlistv1.JoinRequest{Email: email})
	}
}
