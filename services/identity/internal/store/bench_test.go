package store_test

import (
	"testing"
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store"
)

// BenchmarkUsers takes a page of 100 out of 50,000 accounts. The slowest page of
// the run is reported beside the mean; the product promises 200 ms.
func BenchmarkUsers(b *testing.B) {
	f := newCrowd(b, nil)
	middle := deep(f)
	for _, bench := range []struct {
		name   string
		filter store.Filter
		after  *store.Cursor
	}{
		{"first", store.Filter{}, nil},
		{"middle", store.Filter{}, middle},
		{"users", store.Filter{Role: account.RoleUser}, middle},
		{"moderators", store.Filter{Role: account.RoleModerator}, nil},
		{"moderators-middle", store.Filter{Role: account.RoleModerator}, middle},
		{"admins", store.Filter{Role: account.RoleAdmin}, nil},
		{"search-common", store.Filter{Search: "example.com"}, nil},
		{"search-common-middle", store.Filter{Search: "example.com"}, middle},
		{"search-rare", store.Filter{Search: "person12345@"}, nil},
		{"search-short", store.Filter{Search: "9"}, middle},
		{"search-short-none", store.Filter{Search: "zz"}, nil},
		{"search-none", store.Filter{Search: "nobody-at-all"}, nil},
		{"search-moderators", store.Filter{Search: "quartz", Role: account.RoleModerator}, nil},
		{"search-admins-none", store.Filter{Search: "nobody-at-all", Role: account.RoleAdmin}, nil},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var worst time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := f.Users(b.Context(), bench.filter, bench.after, store.MaxPage); err != nil {
					b.Fatal(err)
				}
				worst = max(worst, time.Since(start))
			}
			b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
		})
	}
}
