package apitest

import (
	"context"
	"errors"
	"sync/atomic"

	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/fault"
)

type identityFake struct {
	identityv1.UnimplementedIdentityServiceServer
	Calls
	issuer  *authntest.Issuer
	Session *identityv1.Session
	Devices []*identityv1.SignedInDevice
	SignIns []*identityv1.PastSignIn
	// Users are a page; the next one has AListedUser.
	Users  *identityv1.ListUsersResponse
	User   *identityv1.ListedUser
	States *identityv1.ListUserStatesResponse
	// Known is the only address under which there is an account; "" for any.
	Known   string
	Audit   *identityv1.ListAuditEntriesResponse
	EraseAt *timestamppb.Timestamp
	Export  exported
	// SecondFactor is what GetSecondFactor answers.
	SecondFactor *identityv1.GetSecondFactorResponse
	// CodeRefused is what AdmitSecondFactorCode fails with.
	CodeRefused error
	// Lasting is the Cookie header whose SignOut fails as unavailable.
	Lasting string
	// DeletionTakenBack is what CreateSession says of the sign-in.
	DeletionTakenBack bool
	// Keyless withholds the keys that tokens are verified with.
	Keyless atomic.Bool
	// Leave ends the server: from then on identity is away.
	Leave func()
}

func (f *identityFake) CreateSession(ctx context.Context, r *identityv1.CreateSessionRequest) (*identityv1.CreateSessionResponse, error) {
	return &identityv1.CreateSessionResponse{Session: f.Session, DeletionTakenBack: f.DeletionTakenBack}, f.record(ctx, r)
}

func (f *identityFake) RefreshSession(ctx context.Context, r *identityv1.RefreshSessionRequest) (*identityv1.RefreshSessionResponse, error) {
	return &identityv1.RefreshSessionResponse{Session: f.Session}, f.record(ctx, r)
}

func (f *identityFake) CreateHandOffCode(ctx context.Context, r *identityv1.CreateHandOffCodeRequest) (*identityv1.CreateHandOffCodeResponse, error) {
	if err := f.living(ctx); err != nil {
		return nil, err
	}
	return &identityv1.CreateHandOffCodeResponse{Code: "code", ExpiresIn: 60}, f.record(ctx, r)
}

func (f *identityFake) CreateDeviceSession(ctx context.Context, r *identityv1.CreateDeviceSessionRequest) (*identityv1.CreateDeviceSessionResponse, error) {
	if err := f.living(ctx); err != nil {
		return nil, err
	}
	return &identityv1.CreateDeviceSessionResponse{Session: f.Session}, f.record(ctx, r)
}

func (f *identityFake) living(ctx context.Context) error {
	p, _ := authn.FromContext(ctx)
	switch rights, err := f.issuer.CheckAccess(ctx, p); {
	case err != nil:
		return err
	case p.UserID == "", !rights.SignedIn:
		return authn.ErrBadToken
	case !rights.Active:
		return authn.ErrDisabled
	}
	return nil
}

func (f *identityFake) CreateServerToken(ctx context.Context, r *identityv1.CreateServerTokenRequest) (*identityv1.CreateServerTokenResponse, error) {
	return &identityv1.CreateServerTokenResponse{AccessToken: "at", ExpiresIn: 600, Scope: authn.ScopeSpend}, f.record(ctx, r)
}

func (f *identityFake) ExchangeHandOffCode(ctx context.Context, r *identityv1.ExchangeHandOffCodeRequest) (*identityv1.ExchangeHandOffCodeResponse, error) {
	return &identityv1.ExchangeHandOffCodeResponse{Session: f.Session}, f.record(ctx, r)
}

func (f *identityFake) SignOut(ctx context.Context, r *identityv1.SignOutRequest) (*identityv1.SignOutResponse, error) {
	err := f.record(ctx, r)
	if f.Lasting != "" && r.GetCookie() == f.Lasting {
		err = fault.New(fault.Unavailable, "down", "Later.")
	}
	return &identityv1.SignOutResponse{}, err
}

func (f *identityFake) ReceiveAppleNotification(ctx context.Context, r *identityv1.ReceiveAppleNotificationRequest) (*identityv1.ReceiveAppleNotificationResponse, error) {
	return &identityv1.ReceiveAppleNotificationResponse{}, f.record(ctx, r)
}

func (f *identityFake) ListDevices(ctx context.Context, r *identityv1.ListDevicesRequest) (*identityv1.ListDevicesResponse, error) {
	return &identityv1.ListDevicesResponse{Devices: f.Devices}, f.record(ctx, r)
}

func (f *identityFake) RevokeDevice(ctx context.Context, r *identityv1.RevokeDeviceRequest) (*identityv1.RevokeDeviceResponse, error) {
	return &identityv1.RevokeDeviceResponse{}, f.record(ctx, r)
}

func (f *identityFake) UnlinkProvider(ctx context.Context, r *identityv1.UnlinkProviderRequest) (*identityv1.UnlinkProviderResponse, error) {
	return &identityv1.UnlinkProviderResponse{User: f.Session.GetUser()}, f.record(ctx, r)
}

func (f *identityFake) DeleteAccount(ctx context.Context, r *identityv1.DeleteAccountRequest) (*identityv1.DeleteAccountResponse, error) {
	if err := f.living(ctx); err != nil {
		return nil, err
	}
	return &identityv1.DeleteAccountResponse{EraseAt: f.EraseAt}, f.record(ctx, r)
}

func (f *identityFake) GetUser(ctx context.Context, r *identityv1.GetUserRequest) (*identityv1.GetUserResponse, error) {
	return &identityv1.GetUserResponse{User: f.Session.GetUser()}, f.record(ctx, r)
}

func (f *identityFake) ListUsers(ctx context.Context, r *identityv1.ListUsersRequest) (*identityv1.ListUsersResponse, error) {
	if f.Known != "" && r.GetSearch() != f.Known {
		return &identityv1.ListUsersResponse{}, f.record(ctx, r)
	}
	if f.Users == nil || r.GetCursor() != "" && r.GetCursor() == f.Users.GetNextCursor() {
		return &identityv1.ListUsersResponse{Users: []*identityv1.ListedUser{AListedUser()}}, f.record(ctx, r)
	}
	return f.Users, f.record(ctx, r)
}

func (f *identityFake) ListUserStates(ctx context.Context, r *identityv1.ListUserStatesRequest) (*identityv1.ListUserStatesResponse, error) {
	return f.States, f.record(ctx, r)
}

func (f *identityFake) SetUserRoles(ctx context.Context, r *identityv1.SetUserRolesRequest) (*identityv1.SetUserRolesResponse, error) {
	return &identityv1.SetUserRolesResponse{User: f.User}, f.record(ctx, r)
}

func (f *identityFake) IsAdmin(ctx context.Context, r *identityv1.IsAdminRequest) (*identityv1.IsAdminResponse, error) {
	p, _ := authn.FromContext(ctx)
	rights, _ := f.issuer.CheckAccess(ctx, p)
	return &identityv1.IsAdminResponse{IsAdmin: rights.Admin, IsModerator: rights.Moderator}, f.record(ctx, r)
}

func (f *identityFake) GetSecondFactor(ctx context.Context, r *identityv1.GetSecondFactorRequest) (*identityv1.GetSecondFactorResponse, error) {
	return f.SecondFactor, f.record(ctx, r)
}

func (f *identityFake) AdmitSecondFactorCode(ctx context.Context, r *identityv1.AdmitSecondFactorCodeRequest) (*identityv1.AdmitSecondFactorCodeResponse, error) {
	return &identityv1.AdmitSecondFactorCodeResponse{}, errors.Join(f.record(ctx, r), f.CodeRefused)
}

func (f *identityFake) ResetSecondFactor(ctx context.Context, r *identityv1.ResetSecondFactorRequest) (*identityv1.ResetSecondFactorResponse, error) {
	return &identityv1.ResetSecondFactorResponse{}, f.record(ctx, r)
}

func (f *identityFake) CheckAccess(ctx context.Context, r *identityv1.CheckAccessRequest) (*identityv1.CheckAccessResponse, error) {
	rights, err := f.issuer.CheckAccess(ctx, authn.Principal{UserID: r.GetUserId(), SessionID: r.GetSessionId()})
	resp := &identityv1.CheckAccessResponse{
		SignedIn: rights.SignedIn, Active: rights.Active, StaffSession: rights.StaffSession, Fresh: rights.Fresh,
		SecondFactorMissing: rights.SecondFactorMissing,
		Roles:               []identityv1.Role{identityv1.Role_ROLE_USER},
	}
	if rights.Moderator {
		resp.Roles = append(resp.Roles, identityv1.Role_ROLE_MODERATOR)
	}
	if rights.Admin {
		resp.Roles = append(resp.Roles, identityv1.Role_ROLE_ADMIN)
	}
	return resp, err
}

func (f *identityFake) GetJWKS(ctx context.Context, _ *identityv1.GetJWKSRequest) (*identityv1.GetJWKSResponse, error) {
	f.Mu.Lock()
	err := f.err
	f.Mu.Unlock()
	if f.Keyless.Load() {
		err = fault.New(fault.Unavailable, "down", "Later.")
	}
	if err != nil {
		return nil, err
	}
	jwks, err := f.issuer.JWKS(ctx)
	return &identityv1.GetJWKSResponse{Jwks: jwks}, err
}

func (f *identityFake) ListAuditEntries(ctx context.Context, r *identityv1.ListAuditEntriesRequest) (*identityv1.ListAuditEntriesResponse, error) {
	return f.Audit, f.record(ctx, r)
}

// someone is User, or anybody without one.
func (f *identityFake) someone() *identityv1.ListedUser {
	if f.User == nil {
		return AListedUser()
	}
	return f.User
}

func (f *identityFake) GetPerson(ctx context.Context, r *identityv1.GetPersonRequest) (*identityv1.GetPersonResponse, error) {
	if err := f.record(ctx, r); err != nil {
		return nil, err
	}
	if f.Known != "" && r.GetIdOrEmail() != f.Known {
		return nil, fault.New(fault.NotFound, "unknown_user", "This account does not exist.")
	}
	return &identityv1.GetPersonResponse{User: f.someone()}, nil
}

func (f *identityFake) ListUserDevices(ctx context.Context, r *identityv1.ListUserDevicesRequest) (*identityv1.ListUserDevicesResponse, error) {
	return &identityv1.ListUserDevicesResponse{Devices: f.Devices, SignIns: f.SignIns}, f.record(ctx, r)
}

func (f *identityFake) RevokeUserDevice(ctx context.Context, r *identityv1.RevokeUserDeviceRequest) (*identityv1.RevokeUserDeviceResponse, error) {
	return &identityv1.RevokeUserDeviceResponse{}, f.record(ctx, r)
}

func (f *identityFake) SignOutUser(ctx context.Context, r *identityv1.SignOutUserRequest) (*identityv1.SignOutUserResponse, error) {
	return &identityv1.SignOutUserResponse{Ended: 2}, f.record(ctx, r)
}

func (f *identityFake) SetUserState(ctx context.Context, r *identityv1.SetUserStateRequest) (*identityv1.SetUserStateResponse, error) {
	return &identityv1.SetUserStateResponse{User: f.someone()}, f.record(ctx, r)
}

func (f *identityFake) DeleteUser(ctx context.Context, r *identityv1.DeleteUserRequest) (*identityv1.DeleteUserResponse, error) {
	return &identityv1.DeleteUserResponse{User: f.someone()}, f.record(ctx, r)
}
