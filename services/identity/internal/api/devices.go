package api

import (
	"context"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/text"
)

// ListDevices implements IdentityService.
func (s *Server) ListDevices(ctx context.Context, _ *identityv1.ListDevicesRequest) (*identityv1.ListDevicesResponse, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	families, err := s.Sessions.Devices(ctx, c)
	if err != nil {
		return nil, err
	}
	resp := &identityv1.ListDevicesResponse{}
	for _, f := range families {
		resp.Devices = append(resp.Devices, encodeDevice(f, c.Family))
	}
	return resp, nil
}

// RevokeDevice implements IdentityService.
func (s *Server) RevokeDevice(ctx context.Context, req *identityv1.RevokeDeviceRequest) (*identityv1.RevokeDeviceResponse, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	device, ok := text.UUID(req.GetDeviceId())
	if !ok {
		return nil, fault.InvalidField("device_id", "The device id must be a UUID.")
	}
	if err := s.Sessions.RevokeDevice(ctx, c, device); err != nil {
		return nil, err
	}
	return &identityv1.RevokeDeviceResponse{}, nil
}

func encodeDevice(f session.Family, current uuid.UUID) *identityv1.SignedInDevice {
	return &identityv1.SignedInDevice{
		Id: f.ID.String(), Kind: enum.Of[identityv1.DeviceKind](f.Kind()), Current: f.ID == current,
		Device:    &identityv1.Device{Name: f.Device.Name, UserAgent: f.Device.UserAgent, IpAddress: f.Device.IPAddress},
		CreatedAt: timestamppb.New(f.CreatedAt), LastActiveAt: timestamppb.New(f.LastActiveAt),
	}
}
