package api_test

import (
	"testing"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/enumtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/ticket"
)

func TestEnums(t *testing.T) {
	enumtest.Same[supportv1.Status](t, ticket.Open, ticket.InProgress, ticket.Resolved, ticket.Closed)
	enumtest.Same[supportv1.Category](t, ticket.Bug, ticket.FeatureRequest, ticket.Billing, ticket.TechnicalSupport, ticket.Other)
	enumtest.Same[supportv1.Priority](t, ticket.Low, ticket.Medium, ticket.High, ticket.Urgent)
	enumtest.Same[supportv1.Author](t, ticket.Customer, ticket.Staff)
	enumtest.Same[mailv1.Trouble_State](t, mail.Bounced, mail.Complained, mail.Unsubscribed, mail.GivenUp)
}
