package api

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/text"
)

// GetPerson implements IdentityService.
func (s *Server) GetPerson(ctx context.Context, req *identityv1.GetPersonRequest) (*identityv1.GetPersonResponse, error) {
	idOrEmail, err := decodeLine("id_or_email", req.GetIdOrEmail())
	if err != nil {
		return nil, err
	}
	if idOrEmail == "" {
		return nil, fault.InvalidField("id_or_email", "The value of id_or_email is missing.")
	}
	if _, err := address.Parse(idOrEmail); errors.Is(err, address.ErrLetters) {
		return nil, fault.InvalidField("id_or_email", err.Error())
	}
	person, err := s.Staff.Person(ctx, idOrEmail)
	if err != nil {
		return nil, err
	}
	return &identityv1.GetPersonResponse{User: encodeListed(person)}, nil
}

// ListUserDevices implements IdentityService.
func (s *Server) ListUserDevices(ctx context.Context, req *identityv1.ListUserDevicesRequest) (*identityv1.ListUserDevicesResponse, error) {
	by, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	user, err := decodeUser(req.GetUserId())
	if err != nil {
		return nil, err
	}
	devices, signIns, err := s.Staff.Devices(ctx, user)
	if err != nil {
		return nil, err
	}
	resp := &identityv1.ListUserDevicesResponse{}
	for _, f := range devices {
		resp.Devices = append(resp.Devices, encodeDevice(f, by.Family))
	}
	for _, in := range signIns {
		past := &identityv1.PastSignIn{
			Id: in.ID.String(), Kind: enum.Of[identityv1.DeviceKind](in.Kind()), At: timestamppb.New(in.CreatedAt),
			Device: encodeDevice(in.Family, uuid.Nil).GetDevice(),
		}
		if !in.EndedAt.IsZero() {
			past.EndedAt = timestamppb.New(in.EndedAt)
		}
		resp.SignIns = append(resp.SignIns, past)
	}
	return resp, nil
}

// RevokeUserDevice implements IdentityService.
func (s *Server) RevokeUserDevice(ctx context.Context, req *identityv1.RevokeUserDeviceRequest) (*identityv1.RevokeUserDeviceResponse, error) {
	by, user, reason, err := decodeAction(ctx, req)
	if err != nil {
		return nil, err
	}
	device, ok := text.UUID(req.GetDeviceId())
	if !ok {
		return nil, fault.InvalidField("device_id", "The device id must be a UUID.")
	}
	if err := s.Staff.EndDevice(ctx, by, user, device, reason); err != nil {
		return nil, err
	}
	return &identityv1.RevokeUserDeviceResponse{}, nil
}

// SignOutUser implements IdentityService.
func (s *Server) SignOutUser(ctx context.Context, req *identityv1.SignOutUserRequest) (*identityv1.SignOutUserResponse, error) {
	by, user, reason, err := decodeAction(ctx, req)
	if err != nil {
		return nil, err
	}
	ended, err := s.Staff.SignOut(ctx, by, user, reason)
	if err != nil {
		return nil, err
	}
	return &identityv1.SignOutUserResponse{Ended: int32(ended)}, nil
}

// SetUserState implements IdentityService.
func (s *Server) SetUserState(ctx context.Context, req *identityv1.SetUserStateRequest) (*identityv1.SetUserStateResponse, error) {
	by, user, reason, err := decodeAction(ctx, req)
	if err != nil {
		return nil, err
	}
	to := account.State(enum.Name(req.GetState()))
	if to != account.StateActive && to != account.StateDisabled {
		return nil, fault.InvalidField("state", "The state must be active or disabled.")
	}
	person, err := s.Staff.SetState(ctx, by, user, to, reason)
	if err != nil {
		return nil, err
	}
	return &identityv1.SetUserStateResponse{User: encodeListed(person)}, nil
}

// DeleteUser implements IdentityService.
func (s *Server) DeleteUser(ctx context.Context, req *identityv1.DeleteUserRequest) (*identityv1.DeleteUserResponse, error) {
	by, user, reason, err := decodeAction(ctx, req)
	if err != nil {
		return nil, err
	}
	person, err := s.Staff.Delete(ctx, by, user, reason)
	if err != nil {
		return nil, err
	}
	return &identityv1.DeleteUserResponse{User: encodeListed(person)}, nil
}

// ResetSecondFactor implements IdentityService.
func (s *Server) ResetSecondFactor(ctx context.Context, req *identityv1.ResetSecondFactorRequest) (*identityv1.ResetSecondFactorResponse, error) {
	by, user, reason, err := decodeAction(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := s.Staff.ResetSecondFactor(ctx, by, user, reason); err != nil {
		return nil, err
	}
	return &identityv1.ResetSecondFactorResponse{}, nil
}

// action is what all requests of staff have.
type action interface {
	GetUserId() string
	GetReason() string
}

func decodeAction(ctx context.Context, req action) (by, user uuid.UUID, reason string, err error) {
	c, err := caller(ctx)
	if err != nil {
		return uuid.Nil, uuid.Nil, "", err
	}
	if user, err = decodeUser(req.GetUserId()); err != nil {
		return uuid.Nil, uuid.Nil, "", err
	}
	reason, err = audit.ParseReason(req.GetReason())
	return c.User, user, reason, err
}
