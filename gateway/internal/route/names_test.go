package route_test

import (
	"errors"
	"slices"
	"testing"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/services/platform/fault"
)

func TestAFailureNamesTheCallersFields(t *testing.T) {
	ticket := route.But(map[string]string{"id": "ticketId"})
	cause := errors.New("why")
	for _, tt := range []struct {
		names           route.Names
		err             *fault.Error
		reason, message string
		fields          []fault.Field
	}{
		{ticket, fault.InvalidField("id", "The value of id is not a UUID."), "invalid_ticket_id", "The value of ticketId is not a UUID.", []fault.Field{{Name: "ticketId", Message: "The value of ticketId is not a UUID."}}},
		{ticket, fault.New(fault.Invalid, "invalid_app_version", "Too long.").Field("app_version", "Long."), "invalid_app_version", "Too long.", []fault.Field{{Name: "appVersion", Message: "Long."}}},
		{ticket, fault.New(fault.NotFound, "ticket_not_found", "There is no such ticket."), "ticket_not_found", "There is no such ticket.", nil},
		{nil, fault.New(fault.Invalid, "invalid_amount", "No.").Field("amount", "A.").Field("idempotency_key", "B."), "invalid_amount", "No.", []fault.Field{{Name: "amount", Message: "A."}, {Name: "idempotencyKey", Message: "B."}}},
		{nil, fault.New(fault.Invalid, "invalid_success_url", "No.").Field("successUrl", "No."), "invalid_success_url", "No.", []fault.Field{{Name: "successUrl", Message: "No."}}},
		{route.SnakeCase, fault.InvalidField("device_id", "No."), "invalid_device_id", "No.", []fault.Field{{Name: "device_id", Message: "No."}}},
	} {
		got := fault.Of(tt.names.In(tt.err.Wrap(cause)))
		if got.Reason != tt.reason || got.Message != tt.message || got.Kind != tt.err.Kind || !slices.Equal(got.Fields, tt.fields) || !errors.Is(got, cause) {
			t.Errorf("%v became %+v", tt.err, got)
		}
	}
	if got := ticket.In(cause); !errors.Is(got, cause) || fault.Of(got).Kind != fault.Internal {
		t.Errorf("another error became %v", got)
	}
}
