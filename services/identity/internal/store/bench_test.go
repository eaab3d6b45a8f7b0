package store_test

import (
	"testing"
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/benchtest"
)

// promised is how long a page of a list may take at the 95th percentile.
const promised = 200 * time.Millisecond

// BenchmarkUsers takes a page of 100 out of 50,000 accounts.
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
			benchtest.P95(b, promised, func() error {
				_, err := f.Users(b.Context(), bench.filter, bench.after, store.MaxPage)
				return err
			})
		})
	}
}
