package account_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/fault"
)

func TestFewCodesAndNoneTwice(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	typed := func(code string, ago time.Duration) account.FactorCode {
		return account.NewFactorCode(code, now.Add(-ago))
	}
	var many []account.FactorCode
	for n := range account.MaxFactorCodes {
		many = append(many, typed(fmt.Sprint(n), time.Duration(n+1)*time.Minute))
	}
	for name, tc := range map[string]struct {
		before []account.FactorCode
		want   error
	}{
		"the first":                {nil, nil},
		"after others":             {[]account.FactorCode{typed("111111", time.Second)}, nil},
		"again at once":            {[]account.FactorCode{typed("111111", 0), typed("123456", time.Second)}, account.ErrFactorCodeTyped},
		"again while it is good":   {[]account.FactorCode{typed("123456", 90*time.Second)}, account.ErrFactorCodeTyped},
		"the same a while later":   {[]account.FactorCode{typed("123456", 2*time.Minute)}, nil},
		"the last that is allowed": {many[:account.MaxFactorCodes-1], nil},
		"one too many":             {many, account.ErrTooManyFactorCodes},
	} {
		t.Run(name, func(t *testing.T) {
			err := typed("123456", 0).After(tc.before)
			if got := fault.Of(err); tc.want == nil && err != nil || tc.want != nil && (err == nil || got.Reason != fault.Of(tc.want).Reason) {
				t.Errorf("%v, want %v", err, tc.want)
			}
			var f *fault.Error
			if errors.As(err, &f) && f.Kind == fault.RateLimited && f.Retry != 5*time.Minute {
				t.Errorf("to be tried again after %s", f.Retry)
			}
		})
	}
}
