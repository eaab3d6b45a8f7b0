// Package fault is the product's one error type. A service returns a *fault.Error;
// gRPC carries it as a status with details; the client interceptor rebuilds it;
// only the gateway turns it into JSON. Message is meant for people and is sent to
// clients; the wrapped cause is for the log and is never sent.
package fault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Domain marks gRPC error details as ours (google.rpc.ErrorInfo.domain).
const Domain = "fledge"

// FallbackMessage is what people read when we cannot say more.
const FallbackMessage = "Something went wrong. Please try again."

// Field is one rejected field of a request.
type Field struct {
	Name    string
	Message string
}

// Error is a failure with a kind, a stable reason and a message safe to show.
type Error struct {
	Kind Kind
	// Reason is a stable lower_snake_case code for programs.
	Reason string
	// Message is one sentence for people.
	Message string
	// Fields names what was wrong with the input.
	Fields []Field
	// Retry, when positive, says how long to wait before the next try.
	Retry time.Duration

	cause error
}

// New returns a fault of the given kind.
func New(kind Kind, reason, message string) *Error {
	return &Error{Kind: kind, Reason: reason, Message: message}
}

// InvalidField returns the fault of a request of which one field was rejected.
func InvalidField(name, message string) *Error {
	return New(Invalid, "invalid_"+name, message).Field(name, message)
}

// Field returns the fault with one more rejected field.
func (e *Error) Field(name, message string) *Error {
	c := *e
	c.Fields = append(append([]Field(nil), e.Fields...), Field{name, message})
	return &c
}

// RetryAfter returns the fault with a hint when to try again.
func (e *Error) RetryAfter(d time.Duration) *Error {
	c := *e
	c.Retry = d
	return &c
}

// Wrap returns the fault with a cause, which is logged and never sent.
func (e *Error) Wrap(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Error describes the fault for logs.
func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s (%s): %s: %v", e.Kind, e.Reason, e.Message, e.cause)
	}
	return fmt.Sprintf("%s (%s): %s", e.Kind, e.Reason, e.Message)
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is the fault's kind.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// Of returns err as a fault. A timeout and a cancelled context are Unavailable;
// anything else that is not a fault is Internal with the fallback message.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return tooLong(err)
	}
	return New(Internal, "internal", FallbackMessage).Wrap(err)
}

func tooLong(err error) *Error {
	return New(Unavailable, "timeout", "That took too long. Please try again.").RetryAfter(time.Second).Wrap(err)
}

// GRPCStatus makes grpc-go send the fault with its details.
func (e *Error) GRPCStatus() *status.Status {
	s := status.New(e.Kind.Code(), e.Message)
	info := &errdetails.ErrorInfo{Reason: e.Reason, Domain: Domain, Metadata: map[string]string{"kind": string(e.Kind)}}
	bad := &errdetails.BadRequest{}
	for _, f := range e.Fields {
		bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: f.Name, Description: f.Message})
	}
	retry := &errdetails.RetryInfo{RetryDelay: durationpb.New(e.Retry)}
	detailed, err := s.WithDetails(info, bad, retry)
	if err != nil {
		return s
	}
	return detailed
}

// FromGRPC rebuilds the fault that the other side returned. A status that did
// not come from this package keeps its meaning but not its text, which could
// name internals.
func FromGRPC(err error) *Error {
	if err == nil {
		return nil
	}
	s, ok := status.FromError(err)
	if !ok {
		return Of(err)
	}
	e := &Error{}
	for _, d := range s.Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			if d.GetDomain() == Domain {
				e.Kind, e.Reason, e.Message = Kind(d.GetMetadata()["kind"]), d.GetReason(), s.Message()
			}
		case *errdetails.BadRequest:
			for _, v := range d.GetFieldViolations() {
				e.Fields = append(e.Fields, Field{v.GetField(), v.GetDescription()})
			}
		case *errdetails.RetryInfo:
			e.Retry = d.GetRetryDelay().AsDuration()
		}
	}
	if e.Kind != "" {
		return e
	}
	// The deadline ends a call on both sides, and either may be the first to say so.
	if s.Code() == codes.DeadlineExceeded || s.Code() == codes.Canceled {
		return tooLong(err)
	}
	return foreign(kindOf(s.Code())).Wrap(err)
}

func foreign(k Kind) *Error {
	switch k {
	case Unavailable:
		return New(k, "unavailable", "This part of the service is not available right now. Please try again.").RetryAfter(time.Second)
	case Internal:
		return New(k, "internal", FallbackMessage)
	default:
		return New(k, string(k), "The request could not be completed.")
	}
}
