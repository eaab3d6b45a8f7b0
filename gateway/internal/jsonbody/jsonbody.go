// Package jsonbody decodes request bodies strictly: JSON as RFC 8259 and RFC 7493
// (I-JSON) define it and nothing that two parsers could read differently.
package jsonbody

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/fault"
)

const (
	// MaxBytes is the longest body that Decode reads.
	MaxBytes = 64 << 10
	// MaxDepth is the deepest nesting of objects and arrays that Decode follows.
	MaxDepth = 16
)

// Decode reads the request's body, which must be one JSON object, into a T.
//
// It fails with problem.UnsupportedMediaType unless the body is declared as plain
// application/json in UTF-8, with fault.TooLarge past MaxBytes, and with
// fault.Invalid for anything else it refuses: broken syntax, invalid UTF-8, lone
// surrogates, U+0000, duplicate or unknown names (names are case-sensitive),
// values of the wrong type, nesting past MaxDepth, and anything after the object.
func Decode[T any](w http.ResponseWriter, r *http.Request) (T, error) {
	var v T
	raw, err := Raw(w, r, MaxBytes)
	if err != nil {
		return v, err
	}
	if err := Unmarshal(raw, &v); err != nil {
		return v, err
	}
	return v, nil
}

// DecodeOptional is Decode for a body that may be left out; the T is zero then.
func DecodeOptional[T any](w http.ResponseWriter, r *http.Request) (T, error) {
	if r.ContentLength == 0 {
		var none T
		return none, nil
	}
	return Decode[T](w, r)
}

// Raw returns the request's body as it is, for a handler that needs exactly what was sent.
// It fails like Decode for a body that is not declared as JSON, with fault.TooLarge past limit bytes, and with problem.BodyTooSlow; it does not
// look inside.
func Raw(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if !IsJSON(r.Header) {
		return nil, problem.UnsupportedMediaType
	}
	return ReadAll(w, r, limit)
}

// ReadAll is Raw for a body of any type.
func ReadAll(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		return nil, unreadable(err)
	}
	return raw, nil
}

// Receive waits for the body and keeps it in memory for whoever reads it later. It fails like
// ReadAll, except that a body that is too long is left to that reader: it is kept up to one
// byte more than limit.
func Receive(r *http.Request, limit int64) error {
	raw, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return unreadable(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	return nil
}

func unreadable(err error) error {
	if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
		return fault.New(fault.TooLarge, "body_too_large", "The request is too large.").Wrap(err)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: %w", problem.BodyTooSlow, err)
	}
	return fault.New(fault.Invalid, "body_incomplete", "The request did not arrive completely.").Wrap(err)
}

// Unmarshal is Decode for a document that is already in memory.
func Unmarshal(raw []byte, v any) error {
	if err := check(raw); err != nil {
		return err
	}
	return explain(json.Unmarshal(raw, v, json.RejectUnknownMembers(true)))
}

// IsJSON reports whether a body is declared as Decode reads it.
func IsJSON(h http.Header) bool { return Is(h, "application/json") }

// Is reports whether a body is declared, once, to be of a media type, in UTF-8 and not compressed.
func Is(h http.Header, want string) bool {
	if len(h.Values("Content-Type")) != 1 || h.Get("Content-Encoding") != "" {
		return false
	}
	mediaType, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || mediaType != want {
		return false
	}
	charset, given := params["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}

var (
	errNotAnObject = fault.New(fault.Invalid, "invalid_json", "The body must be a JSON object.")
	errTooDeep     = fault.New(fault.Invalid, "invalid_json", "The JSON is nested too deeply.")
	errNUL         = fault.New(fault.Invalid, "invalid_json", "The JSON contains a character that is not allowed.")
	errSyntax      = fault.New(fault.Invalid, "invalid_json", "The body is not valid JSON.")
	errDuplicate   = fault.New(fault.Invalid, "invalid_json", "The JSON names a field twice.")
	errUnknown     = fault.New(fault.Invalid, "unknown_field", "The JSON has a field that this address does not take.")
)

// check walks the whole document before anything is decoded.
func check(raw []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if dec.PeekKind() != '{' {
		return errNotAnObject
	}
	for {
		token, err := dec.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return explain(err)
		case dec.StackDepth() > MaxDepth:
			return errTooDeep
		case token.Kind() == '"' && strings.ContainsRune(token.String(), 0):
			return errNUL
		}
	}
}

// explain says what was wrong without repeating what the client sent.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errDuplicate.Wrap(err)
	case errors.Is(err, json.ErrUnknownName):
		return errUnknown.Wrap(err)
	}
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return errSyntax.Wrap(err)
	}
	name := strings.TrimPrefix(string(semantic.JSONPointer), "/")
	if errors.Is(err, errNotExact) {
		const message = "A number is too large or has more than two decimals."
		return fault.New(fault.Invalid, "invalid_number", message).Field(name, message).Wrap(err)
	}
	const message = "A field has a value of the wrong type."
	return fault.New(fault.Invalid, "invalid_type", message).Field(name, message).Wrap(err)
}
