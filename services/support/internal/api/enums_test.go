package api_test

import (
	"testing"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/enumtest"
	"fledge.dev/services/support/internal/ticket"
)

func TestEnums(t *testing.T) {
	enumtest.Same[supportv1.Status](t, ticket.Open, ticket.InProgress, ticket.Resolved, ticket.Closed)
	enumtest.Same[supportv1.Category](t, ticket.Bug, ticket.FeatureRequest, ticket.Billing, ticket.TechnicalSupport, ticket.Other)
	enumtest.Same[supportv1.Priority](t, ticket.Low, ticket.Medium, ticket.High, ticket.Urgent)
	enumtest.Same[supportv1.Author](t, ticket.Customer, ticket.Staff)
}
