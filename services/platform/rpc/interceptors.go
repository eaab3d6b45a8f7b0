package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clientinfo"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
)

const (
	// defaultDeadline is for calls whose caller has set none.
	defaultDeadline = 5 * time.Second
	// maxDeadline caps the time that a caller may ask for.
	maxDeadline = 30 * time.Second
	// reserve is left for sending the answer, so that the caller gets our reason instead of
	// its own timeout.
	reserve = 20 * time.Millisecond
)

func admit(guard *authn.Guard) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		ctx, err := guard.Admit(ctx, info.FullMethod, md.Get("authorization"), md.Get(metadataInternal))
		if err != nil {
			return nil, err
		}
		if guard.IsOurs(md.Get(metadataInternal)) {
			ctx = clientinfo.With(ctx, clientinfo.Info{IP: only(md.Get(metadataClientIP)), UserAgent: only(md.Get(metadataUserAgent))})
		}
		return next(ctx, req)
	}
}

// only returns the value that is given exactly once, or "".
func only(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}

// errNoDeadline is for foreign clients: ours, which Dial returns, always set a deadline.
var errNoDeadline = fault.New(fault.Invalid, "deadline_missing", "This call needs a deadline.")

// withDeadline refuses calls without a deadline, and gives the others a little less time
// than their caller has.
func withDeadline(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil, errNoDeadline
	}
	ctx, cancel := context.WithTimeout(ctx, min(time.Until(deadline)-reserve, maxDeadline))
	defer cancel()
	return next(ctx, req)
}

func recoverPanics(log *slog.Logger, panics prometheus.Counter) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (resp any, err error) {
		defer func() {
			if p := recover(); p != nil {
				panics.Inc()
				log.ErrorContext(ctx, "panic", "method", info.FullMethod, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				err = fault.Of(errors.New("panic"))
			}
		}()
		return next(ctx, req)
	}
}

// logCalls gives the call its request id, logs it in one line, and turns every error into
// a fault that the client does not retry.
func logCalls(log *slog.Logger) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		id := obs.NewRequestID()
		if md, ok := metadata.FromIncomingContext(ctx); ok && len(md.Get(metadataRequestID)) == 1 {
			id = md.Get(metadataRequestID)[0]
		}
		ctx = obs.WithRequestID(ctx, id)
		start := time.Now()
		resp, err := next(ctx, req)
		if err == nil {
			log.DebugContext(ctx, "call", "method", info.FullMethod, "duration", time.Since(start))
			return resp, nil
		}
		f, kind, level := fault.Of(err), outcome(ctx, err), slog.LevelInfo
		if kind == string(fault.Internal) || kind == string(fault.Unavailable) {
			level = slog.LevelError
		}
		if err := grpc.SetTrailer(ctx, metadata.Pairs(metadataPushback, "-1")); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "the trailer against retries was not set, the client may retry a failed call", "method", info.FullMethod, "error", err)
		}
		log.Log(ctx, level, "call failed", "method", info.FullMethod, "kind", kind, "reason", f.Reason, "error", f.Error(), "duration", time.Since(start))
		return nil, f
	}
}
