package ledger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/ledger"
)

// BenchmarkConsume has 64 callers spend from many accounts, and from a single
// one.
func BenchmarkConsume(b *testing.B) {
	for _, accounts := range []int{1000, 1} {
		b.Run(fmt.Sprintf("accounts=%d", accounts), func(b *testing.B) {
			f := replica(b, newDatabase(b), 32)
			users := make([]uuid.UUID, accounts)
			for i := range users {
				users[i] = f.funded(1 << 40)
			}
			b.SetParallelism(max(1, 64/runtime.GOMAXPROCS(0)))
			b.ResetTimer()
			start := time.Now()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_, err := f.Consume(context.Background(), ledger.Spend{
						UserID: users[rand.N(len(users))], Key: uuid.NewString(), Amount: 1, Description: "Generated screen",
					})
					if err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.StopTimer()
			b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "spends/s")
			for _, user := range users[:min(len(users), 10)] {
				f.addsUp(user)
			}
		})
	}
}

// BenchmarkHold sets credits aside and settles them.
func BenchmarkHold(b *testing.B) {
	f := replica(b, newDatabase(b), 32)
	users := make([]uuid.UUID, 1000)
	for i := range users {
		users[i] = f.funded(1 << 40)
	}
	b.SetParallelism(max(1, 64/runtime.GOMAXPROCS(0)))
	b.ResetTimer()
	start := time.Now()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s := ledger.Spend{UserID: users[rand.N(len(users))], Key: uuid.NewString(), Amount: 10, Description: "Screen"}
			held, err := f.Hold(context.Background(), s, time.Hour)
			if err == nil {
				_, err = f.Settle(context.Background(), s.UserID, held.ID, 7)
			}
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.StopTimer()
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "holds/s")
}
