package api

import (
	"context"
	"time"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/session"
)

// CreateHandOffCode implements IdentityService.
func (s *Server) CreateHandOffCode(ctx context.Context, req *identityv1.CreateHandOffCodeRequest) (*identityv1.CreateHandOffCodeResponse, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	code, life, err := s.Sessions.CreateCode(ctx, c, req.GetCallback(), req.GetCodeChallenge())
	if err != nil {
		return nil, err
	}
	return &identityv1.CreateHandOffCodeResponse{Code: code, ExpiresIn: int64(life / time.Second)}, nil
}

// ExchangeHandOffCode implements IdentityService.
func (s *Server) ExchangeHandOffCode(ctx context.Context, req *identityv1.ExchangeHandOffCodeRequest) (*identityv1.ExchangeHandOffCodeResponse, error) {
	device, err := decodeNamed(req.GetDevice())
	if err != nil {
		return nil, err
	}
	grant := session.Grant{Code: req.GetCode(), Verifier: req.GetCodeVerifier(), Callback: req.GetCallback()}
	out, err := s.Sessions.ExchangeCode(ctx, grant, device)
	if err != nil {
		return nil, err
	}
	return &identityv1.ExchangeHandOffCodeResponse{Session: encodeSession(out)}, nil
}

// CreateDeviceSession implements IdentityService.
func (s *Server) CreateDeviceSession(ctx context.Context, req *identityv1.CreateDeviceSessionRequest) (*identityv1.CreateDeviceSessionResponse, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	out, err := s.Sessions.CreateDevice(ctx, c, decodeApp(req.GetDevice()))
	if err != nil {
		return nil, err
	}
	return &identityv1.CreateDeviceSessionResponse{Session: encodeSession(out)}, nil
}
