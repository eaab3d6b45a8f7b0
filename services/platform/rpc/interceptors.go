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
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/remote"
)

const (
	// defaultDeadline is what a client gives a call whose caller has set none.
	defaultDeadline = 5 * time.Second
	// maxDeadline caps what a caller may ask for.
	maxDeadline = 30 * time.Second
	// reserve is kept back for the answer's way home, so that the caller hears
	// our reason instead of its own timeout.
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
			ctx = remote.With(ctx, remote.Client{IP: only(md.Get(metadataClientIP)), UserAgent: only(md.Get(metadataUserAgent))})
		}
		return next(ctx, req)
	}
}

// only is the value that is given exactly once.
func only(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}

// errNoDeadline is for callers that are none of ours: Dial's set a deadline always.
var errNoDeadline = fault.New(fault.Invalid, "deadline_missing", "This call needs a deadline.")

// withDeadline refuses calls that may take forever and gives the others a little less
// time than their caller has.
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

// logCalls gives the call its request id, writes one line for it, and is where
// every error becomes a fault that nobody repeats.
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
		f := fault.Of(err)
		level := slog.LevelInfo
		if f.Kind == fault.Internal || f.Kind == fault.Unavailable {
			level = slog.LevelError
		}
		if err := grpc.SetTrailer(ctx, metadata.Pairs(metadataPushback, "-1")); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "the caller may try again", "method", info.FullMethod, "error", err)
		}
		log.Log(ctx, level, "call failed", "method", info.FullMethod, "kind", string(f.Kind), "reason", f.Reason, "error", f.Error(), "duration", time.Since(start))
		return nil, f
	}
}
