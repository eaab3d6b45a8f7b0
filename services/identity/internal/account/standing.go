package account

import (
	"time"

	"github.com/google/uuid"
)

// Standing is whether an account may be used.
type Standing struct {
	ID       uuid.UUID
	Disabled bool
	// Gone: disabled because Kratos has no such identity any more.
	Gone bool
}

// Reason is why an account is disabled.
type Reason string

// Inactive accounts were disabled in Kratos, gone ones deleted there. Those that staff have
// disabled, and those that are to be deleted, stay so whatever Kratos says.
const (
	Inactive Reason = "inactive"
	Gone     Reason = "gone"
	Deleting Reason = "deleting"
	ByStaff  Reason = "staff"
)

// State of an account, for staff.
type State string

// The states.
const (
	StateActive   State = "active"
	StateDisabled State = "disabled"
	StateDeleting State = "deleting"
)

// State is what the account's owner may do with it.
func (u User) State() State {
	switch {
	case u.Deleting():
		return StateDeleting
	case u.Disabled:
		return StateDisabled
	default:
		return StateActive
	}
}

// Known is what Kratos knows of an account, apart from its sign-ins.
type Known struct {
	UserID      uuid.UUID
	Email       string
	Identities  []string
	ConfirmedAt time.Time
	CreatedAt   time.Time
}

// FirstSignIn is the least that a known account must have done.
func (k Known) FirstSignIn() SignIn {
	s := SignIn{
		UserID: k.UserID, Email: k.Email, Identities: k.Identities,
		ConfirmedAt: k.ConfirmedAt, CreatedAt: k.CreatedAt, At: k.CreatedAt,
	}
	if len(k.Identities) > 0 {
		s.Provider = k.Identities[0]
	}
	return s
}
