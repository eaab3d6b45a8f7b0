package route_test

import (
	"errors"
	"slices"
	"testing"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/services/platform/fault"
)

func TestAFailureNamesTheCallersFields(t *testing.T) {
	names := route.Names{"id": "ticketId"}
	cause := errors.New("why")
	for _, tt := range []struct {
		err             *fault.Error
		reason, message string
		fields          []fault.Field
	}{
		{fault.New(fault.Invalid, "invalid_id", "The value of id is not a UUID.").Field("id", "is not a UUID"), "invalid_ticket_id", "The value of ticketId is not a UUID.", []fault.Field{{Name: "ticketId", Message: "is not a UUID"}}},
		{fault.New(fault.Invalid, "invalid_app_version", "Too long.").Field("app_version", "long"), "invalid_app_version", "Too long.", []fault.Field{{Name: "appVersion", Message: "long"}}},
		{fault.New(fault.Invalid, "invalid_amount", "No.").Field("amount", "a").Field("idempotency_key", "b"), "invalid_amount", "No.", []fault.Field{{Name: "amount", Message: "a"}, {Name: "idempotencyKey", Message: "b"}}},
		{fault.New(fault.NotFound, "ticket_not_found", "There is no such ticket."), "ticket_not_found", "There is no such ticket.", nil},
	} {
		got := fault.Of(names.In(tt.err.Wrap(cause)))
		if got.Reason != tt.reason || got.Message != tt.message || got.Kind != tt.err.Kind || !slices.Equal(got.Fields, tt.fields) || !errors.Is(got, cause) {
			t.Errorf("%v became %+v", tt.err, got)
		}
	}
	if got := names.In(cause); !errors.Is(got, cause) || fault.Of(got).Kind != fault.Internal {
		t.Errorf("another error became %v", got)
	}
}
