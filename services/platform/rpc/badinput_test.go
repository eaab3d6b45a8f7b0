package rpc_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
)

// raw sends bytes for messages.
type raw struct{}

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (raw) Unmarshal(mem.BufferSlice, any) error { return nil }
func (raw) Name() string                         { return "proto" }

// within is a context of a caller with so much time.
func within(t *testing.T, given time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), given)
	t.Cleanup(cancel)
	return ctx
}

// TestWhatIsNoRequestReachesNoHandler sends what the generated client cannot. That
// grpc-go calls bytes that are no message "internal" cannot be changed from outside.
func TestWhatIsNoRequestReachesNoHandler(t *testing.T) {
	issuer := authntest.New(t, nil)
	reached := false
	var left time.Duration
	server := serve(t, io.Discard, issuer, identity{setUserRoles: func(ctx context.Context) error {
		reached = true
		until, _ := ctx.Deadline()
		left = time.Until(until)
		return nil
	}})
	conn, err := grpc.NewClient(server.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	field := func(number protowire.Number, value string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), value)
	}
	const method = identityv1.IdentityService_SetUserRoles_FullMethodName
	call := func(ctx context.Context, method string, body []byte) error {
		reached = false
		return conn.Invoke(ctx, method, body, &struct{}{}, grpc.ForceCodecV2(raw{}))
	}
	for name, tt := range map[string]struct {
		method string
		body   []byte
		want   codes.Code
	}{
		"noise":                   {method, []byte("\xff\xff\xff\xff"), codes.Internal},
		"JSON":                    {method, []byte(`{"userId":"x"}`), codes.Internal},
		"a text that is none":     {method, field(1, "\xff\xfe"), codes.Internal},
		"a field cut short":       {method, field(1, "abc")[:3], codes.Internal},
		"a field of another type": {method, protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 7), codes.OK}, // an unknown field, by protobuf's rules
		"a field of tomorrow":     {method, field(999, "x"), codes.OK},                                                              // a newer caller's, while replicas roll
		"4 MiB and more":          {method, field(999, strings.Repeat("x", 4<<20)), codes.ResourceExhausted},
		"no such method":          {"/fledge.identity.v1.IdentityService/Nothing", nil, codes.Unimplemented},
		"no such service":         {"/fledge.evil.v1.Evil/Nothing", nil, codes.Unimplemented},
		"reflection":              {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", nil, codes.Unimplemented},
		"channelz":                {"/grpc.channelz.v1.Channelz/GetServers", nil, codes.Unimplemented},
	} {
		err := call(within(t, time.Minute), tt.method, tt.body)
		if status.Code(err) != tt.want || reached != (tt.want == codes.OK) {
			t.Errorf("%s: %v, reached %t", name, err, reached)
		}
	}

	// However much time a caller gives, a call ends.
	if err := call(within(t, 10*time.Hour), method, nil); err != nil || !reached || left <= 0 || left > 30*time.Second {
		t.Errorf("10 hours: %v, %s left", err, left)
	}
	if err := call(within(t, 0), method, nil); status.Code(err) != codes.DeadlineExceeded || reached || errors.Is(err, context.Canceled) {
		t.Errorf("no time at all: %v, reached %t", err, reached)
	}
}
