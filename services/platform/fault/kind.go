package fault

import (
	"net/http"

	"google.golang.org/grpc/codes"
)

// Kind says what went wrong in terms that a caller can act on. A Kind is itself
// an error, so errors.Is(err, fault.NotFound) holds on both sides of a call.
type Kind string

// The kinds, each with one gRPC code and one HTTP status (see table).
const (
	Invalid         Kind = "invalid"
	Unauthenticated Kind = "unauthenticated"
	Forbidden       Kind = "forbidden"
	NotFound        Kind = "not_found"
	Conflict        Kind = "conflict"
	TooLarge        Kind = "too_large"
	RateLimited     Kind = "rate_limited"
	Unavailable     Kind = "unavailable"
	Internal        Kind = "internal"
)

// Error makes a Kind usable as the target of errors.Is.
func (k Kind) Error() string { return string(k) }

type mapping struct {
	kind Kind
	code codes.Code
	http int
}

var table = []mapping{
	{Invalid, codes.InvalidArgument, http.StatusBadRequest},
	{Unauthenticated, codes.Unauthenticated, http.StatusUnauthorized},
	{Forbidden, codes.PermissionDenied, http.StatusForbidden},
	{NotFound, codes.NotFound, http.StatusNotFound},
	{Conflict, codes.FailedPrecondition, http.StatusConflict},
	{TooLarge, codes.OutOfRange, http.StatusRequestEntityTooLarge},
	{RateLimited, codes.ResourceExhausted, http.StatusTooManyRequests},
	{Unavailable, codes.Unavailable, http.StatusServiceUnavailable},
	{Internal, codes.Internal, http.StatusInternalServerError},
}

// Code returns the kind's gRPC code.
func (k Kind) Code() codes.Code {
	for _, m := range table {
		if m.kind == k {
			return m.code
		}
	}
	return codes.Internal
}

// HTTPStatus returns the status the gateway answers with.
func (k Kind) HTTPStatus() int {
	for _, m := range table {
		if m.kind == k {
			return m.http
		}
	}
	return http.StatusInternalServerError
}

// kindOf maps a code that did not come from this package. A replica of the version before, beside
// a newer caller, says Unimplemented.
func kindOf(c codes.Code) Kind {
	if c == codes.Unimplemented {
		return Unavailable
	}
	for _, m := range table {
		if m.code == c {
			return m.kind
		}
	}
	return Internal
}
