package store_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// BenchmarkJoin compares 64 callers whose sign-ups share statements with 64
// whose sign-ups have a statement each, on a pool of 32 connections.
func BenchmarkJoin(b *testing.B) {
	b.Run("batched", func(b *testing.B) { benchmarkJoin(b, (*store.Store).Join) })
	b.Run("single", func(b *testing.B) { benchmarkJoin(b, (*store.Store).JoinAlone) })
}

func benchmarkJoin(b *testing.B, join func(*store.Store, context.Context, entry.Email, entry.Source) (bool, error)) {
	cfg, err := pgxpool.ParseConfig(newDatabase(b))
	errtest.None(b, err)
	cfg.MaxConns = 32
	pool, err := pgxpool.NewWithConfig(b.Context(), cfg)
	errtest.None(b, err)
	defer pool.Close()
	s := store.New(pool, clock.System(), nil, patient)
	stop, err := s.Unit(prometheus.NewRegistry()).Start(context.Background())
	errtest.None(b, err)
	defer func() { _ = stop(context.Background()) }()

	var n atomic.Int64
	b.SetParallelism(max(1, 64/runtime.GOMAXPROCS(0)))
	b.ResetTimer()
	start := time.Now()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			address := entry.StoredEmail(fmt.Sprintf("person%d@example.com", n.Add(1)))
			if _, err := join(s, context.Background(), address, entry.HeroSection); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.StopTimer()
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "signups/s")
}
