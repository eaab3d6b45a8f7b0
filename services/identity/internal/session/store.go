package session

import (
	"context"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/handoff"
)

// Store keeps people, families and hand-off codes. Each method is one transaction.
type Store interface {
	// RecordSignIn creates or updates the person.
	RecordSignIn(ctx context.Context, s account.SignIn, now time.Time) (account.User, error)

	// ChangeProviders sets an account's providers to what change returns, and tells its owner
	// by email of each that came or went. Calls for one account wait for each other.
	ChangeProviders(ctx context.Context, user uuid.UUID, now time.Time, change func(context.Context) ([]string, error)) (account.User, error)

	// Family returns a family, dead or alive.
	Family(ctx context.Context, id uuid.UUID) (f Family, ok bool, err error)
	// FamilyOf returns the family of a Kratos session: the living one, else one
	// that ended together with it, else any; ok is false when there is none.
	FamilyOf(ctx context.Context, kratosSession uuid.UUID) (f Family, ok bool, err error)
	// Families returns an account's living families, the latest used first.
	Families(ctx context.Context, user uuid.UUID, now time.Time, limit int) ([]Family, error)

	// OpenBrowser stores a new family and ends those of its kind that are too
	// many; displaced are their Kratos sessions. ok is false when the Kratos
	// session got a family meanwhile or was ended here, by itself or with all others of the account
	// since f.User was read.
	OpenBrowser(ctx context.Context, f Family) (ok bool, displaced []uuid.UUID, err error)
	// OpenMac hands the caller's family to decide, and how many families its account
	// has opened since a moment, and opens the one that decide returns, ending those of its kind that are too many. Nothing that ends the
	// caller's family or all of its account comes between. ok is false when there
	// is no such caller.
	OpenMac(ctx context.Context, by Caller, since time.Time, decide func(by Family, opened int) (Family, error)) (ok bool, displaced int, err error)

	// Change hands the family to decide under a lock, stores its Generation,
	// LeafHash, RotatedAt, LastActiveAt, Device and Revoked, and returns decide's error
	// after that. ok is false when there is no such family.
	Change(ctx context.Context, id uuid.UUID, now time.Time, decide func(*Family) error) (ok bool, err error)
	// Touch moves LastActiveAt forward, and with it what the device says of itself.
	Touch(ctx context.Context, id uuid.UUID, minute time.Time, d Device) error
	// Raise sets a family's AAL, unless it is that high already.
	Raise(ctx context.Context, id uuid.UUID, to AAL) error
	// BeginDeletion disables an account until it is erased, ends all its families as
	// CloseAccount does, and tells its owner by email. It fails with store.ErrLastAdmin, or
	// authn.ErrDisabled when the account is disabled already.
	BeginDeletion(ctx context.Context, user uuid.UUID, now, eraseAt time.Time) (ended int, err error)
	// TakeBackDeletion puts an account back into use that waits for its erasure, and returns it as it
	// is then. ok is false if it does not wait, or was signed out everywhere since it was read.
	TakeBackDeletion(ctx context.Context, user account.User, now time.Time) (u account.User, ok bool, err error)
	// CloseKratosSession ends all families of a Kratos session as signed out, and
	// returns how many were alive.
	CloseKratosSession(ctx context.Context, kratosSession uuid.UUID, now time.Time) (ended int, err error)
	// CloseAccount does so with all families of an account, and with every Kratos
	// session of it that there is. One family is left out; uuid.Nil: none.
	CloseAccount(ctx context.Context, user, besides uuid.UUID, now time.Time) (ended int, err error)
	// EndAtKratos has end do the same at Kratos, and notes that unless it fails or there was another
	// sign-out everywhere meanwhile.
	EndAtKratos(ctx context.Context, user uuid.UUID, end func(context.Context) error) error

	// AddCode stores a code; ok is false when its family has atMost living ones.
	AddCode(ctx context.Context, c handoff.Code, atMost int) (ok bool, err error)
	// UseCode hands the code and the family that minted it to decide, under the
	// lock of OpenMac. If the code is accepted, the family that decide returns is
	// opened as by OpenMac; if it is reused, the one that it opened ends. The
	// verdict comes back, handoff.Unknown when there is no such code, and how many
	// families ended by it.
	UseCode(ctx context.Context, hash []byte, now time.Time,
		decide func(c handoff.Code, by Family) (Family, handoff.Refusal)) (verdict handoff.Refusal, ended int, err error)
}
