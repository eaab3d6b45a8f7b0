package account

import (
	"fmt"
	"net/http"
)

// Error is a refusal in Stripe's terms (https://docs.stripe.com/api/errors).
type Error struct {
	Status                           int
	Type, Code, Param, Decline, Text string
}

func (e *Error) Error() string { return e.Text }

// Refuse is an invalid_request_error about a parameter, which may be empty.
func Refuse(code, param, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Type: "invalid_request_error", Code: code, Param: param, Text: fmt.Sprintf(format, args...)}
}

// missing says that an object is not there: as a parameter 400, in a path 404.
func missing(kind, id, param string) *Error {
	err := Refuse("resource_missing", param, "No such %s: '%s'", kind, id)
	if param == "id" {
		err.Status = http.StatusNotFound
	}
	return err
}

// declined is the refusal of a card.
func declined(reason string) *Error {
	return &Error{
		Status: http.StatusPaymentRequired, Type: "card_error", Code: declineCode(reason), Decline: declineReason(reason),
		Text: declineText(reason),
	}
}
