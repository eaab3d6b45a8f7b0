package account

import (
	"bytes"
	"crypto/sha256"
	"time"

	"fledge.dev/services/platform/fault"
)

// SecondFactorChange is what a member of staff did to their own second factor.
type SecondFactorChange string

// The changes. Adding the app comes before creating the codes that stand in for it.
const (
	SecondFactorAdded    SecondFactorChange = "added"
	SecondFactorRemoved  SecondFactorChange = "removed"
	RecoveryCodesCreated SecondFactorChange = "recovery codes created"
)

const (
	// MaxFactorCodes is how many codes may be typed for an account within FactorCodesWithin.
	MaxFactorCodes    = 10
	FactorCodesWithin = 15 * time.Minute
	// factorCodeLife is longer than Kratos takes a code of an app: its own 30 seconds, and those
	// before and after them. A recovery code works once in Kratos itself.
	factorCodeLife = 2 * time.Minute
)

// The refusals of a code before Kratos sees it.
var (
	ErrTooManyFactorCodes = fault.New(fault.RateLimited, "too_many_codes", "Too many codes were typed for your account. Please wait a few minutes before you try again.")
	ErrFactorCodeTyped    = fault.New(fault.Invalid, "code_used", "This code was typed already, and each works once. Please wait until your app shows the next one.")
)

// FactorCode is a code that somebody typed, right or wrong.
type FactorCode struct {
	// Hash is the SHA-256 of the code.
	Hash    []byte
	TypedAt time.Time
}

// NewFactorCode returns a code as it is kept.
func NewFactorCode(code string, now time.Time) FactorCode {
	sum := sha256.Sum256([]byte(code))
	return FactorCode{Hash: sum[:], TypedAt: now}
}

// After refuses a code of an account for which others were typed before, given the newest
// MaxFactorCodes within FactorCodesWithin, the newest first. It fails with ErrTooManyFactorCodes
// or ErrFactorCodeTyped.
func (c FactorCode) After(before []FactorCode) error {
	if len(before) >= MaxFactorCodes {
		oldest := before[MaxFactorCodes-1]
		return ErrTooManyFactorCodes.RetryAfter(oldest.TypedAt.Add(FactorCodesWithin).Sub(c.TypedAt))
	}
	for _, other := range before {
		if bytes.Equal(other.Hash, c.Hash) && c.TypedAt.Sub(other.TypedAt) < factorCodeLife {
			return ErrFactorCodeTyped
		}
	}
	return nil
}
