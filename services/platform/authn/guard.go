package authn

import (
	"context"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
)

// Guard applies a policy to calls.
type Guard struct {
	policy   Policy
	verifier *Verifier
	access   AccessChecker
	internal config.Secret
}

// NewGuard returns a guard. internal is the token that internal methods need, or a list of them;
// without one they refuse everybody.
func NewGuard(policy Policy, verifier *Verifier, access AccessChecker, internal config.Secret) *Guard {
	return &Guard{policy, verifier, access, internal}
}

// Covers reports whether the policy has a row for the method.
func (g *Guard) Covers(method string) bool {
	_, ok := g.policy[method]
	return ok
}

// Admit decides on a call. authorization and internal are the values of the two
// metadata keys as received. The returned context carries the Principal if the
// call has one.
func (g *Guard) Admit(ctx context.Context, method string, authorization, internal []string) (context.Context, error) {
	access, ok := g.policy[method]
	if !ok {
		return nil, errNotHere
	}
	if access == Internal {
		return ctx, g.admitInternal(internal)
	}
	token, present, err := ParseBearer(authorization)
	if err != nil {
		return nil, err
	}
	if !present {
		if access == Public {
			return ctx, nil
		}
		return nil, ErrNoToken
	}
	p, err := g.verifier.Verify(ctx, token)
	if err != nil {
		return nil, err
	}
	if p.Server != "" {
		if !access.forServers() {
			return nil, ErrForbidden
		}
		return WithPrincipal(ctx, p), nil
	}
	ctx = WithPrincipal(ctx, p)
	if access == Active || access == ActiveOrServer || access.forStaff() {
		return ctx, g.admitActing(ctx, p, access)
	}
	return ctx, nil
}

// IsOurs reports whether the values of the internal key prove that a service of
// ours calls.
func (g *Guard) IsOurs(internal []string) bool {
	return len(internal) == 1 && g.internal.Has(internal[0])
}

// admitInternal tells a caller nothing, and the log whether it shows another token than ours, as a
// service does whose INTERNAL_TOKEN differs.
func (g *Guard) admitInternal(values []string) error {
	switch {
	case g.IsOurs(values):
		return nil
	case len(values) > 0:
		return errNotHere.Wrap(errOtherToken)
	default:
		return errNotHere
	}
}

// admitActing asks identity what the caller may do at this moment.
func (g *Guard) admitActing(ctx context.Context, p Principal, access Access) error {
	rights, err := g.access.CheckAccess(ctx, p)
	switch {
	case err != nil:
		// Fail closed: an unanswered question is not a yes.
		return fault.New(fault.Unavailable, "access_unavailable", "Your permissions cannot be checked right now. Please try again.").Wrap(err)
	case !rights.SignedIn:
		return ErrBadToken
	case !rights.Active:
		return ErrDisabled
	case access.forStaff() && !rights.IsStaff(), access.forAdmins() && !rights.Admin:
		return ErrForbidden
	case access.forStaff() && !rights.StaffSession:
		return ErrStaffSignIn
	case access == FreshAdmin && !rights.Fresh:
		return ErrNotFresh
	// Last, because a new sign-in has to be confirmed anew.
	case access.forStaff() && rights.SecondFactorMissing:
		return ErrSecondFactor
	}
	return nil
}
