package mail

import (
	"strconv"
	"testing"
	"time"
)

func TestOneEmailIsTriedAfterEachPause(t *testing.T) {
	now := time.Now()
	b := &breaker{now: func() time.Time { return now }}
	for range 4 { // those that were under way together are one failure
		if _, ok := b.enter(); !ok {
			t.Fatal("nothing has failed yet")
		}
	}
	for range 4 {
		b.leave(true)
	}
	var tried []time.Duration
	for start := now; now.Sub(start) < time.Hour; now = now.Add(time.Second) {
		for range 3 { // of all that ask at a time, one may go
			if wait, ok := b.enter(); ok {
				tried = append(tried, now.Sub(start))
			} else if wait <= 0 || wait > longestPause*5/4+time.Second {
				t.Fatalf("told to wait %s", wait)
			}
		}
		if len(tried) > 0 && tried[len(tried)-1] == now.Sub(start) {
			b.leave(true)
		}
	}
	if want := []time.Duration{2 * time.Second, 6 * time.Second, 14 * time.Second}; len(tried) < 3 || tried[0] != want[0] || tried[1] != want[1] || tried[2] != want[2] {
		t.Errorf("tried after %v", tried)
	}
	if len(tried) > 22 {
		t.Errorf("%d tries in an hour", len(tried))
	}

	now = now.Add(time.Hour)
	if _, ok := b.enter(); !ok {
		t.Fatal("the pause is over")
	}
	b.leave(false)
	for range 2 {
		if _, ok := b.enter(); !ok {
			t.Error("all may go after a success")
		}
	}
}

// TestASeriesOfRefusalsIsAboutUs if they are of different recipients, and none says that it is about the recipient.
func TestASeriesOfRefusalsIsAboutUs(t *testing.T) {
	refusal := func(status string) *failure {
		return &failure{phase: phaseRcpt, code: 550, status: status, verdict: bounced}
	}
	for name, tt := range map[string]struct {
		recipient func(i int) string
		status    string
		between   *failure
		want      verdict
	}{
		"of different recipients": {strconv.Itoa, "", refusal(""), blocked},
		"of one recipient":        {func(int) string { return "same" }, "", refusal(""), bounced},
		"that name the recipient": {strconv.Itoa, "5.1.1", refusal("5.1.1"), bounced},
		"that name it otherwise":  {strconv.Itoa, "5.7.133", refusal("5.7.133"), bounced},
		"that find no way":        {strconv.Itoa, "5.4.4", refusal("5.4.4"), blocked},
		"with an email sent":      {strconv.Itoa, "", nil, bounced},
		"with one put off":        {strconv.Itoa, "", &failure{verdict: deferred}, bounced},
		"with a recipient named":  {strconv.Itoa, "", refusal("5.2.1"), bounced},
	} {
		b := &breaker{}
		for i := range maxRefused {
			f := refusal(tt.status)
			if b.record(tt.recipient(i), f); f.verdict != bounced {
				t.Errorf("%s: the first %d block", name, i+1)
			}
		}
		if b.record(tt.recipient(maxRefused), tt.between); tt.want == blocked && tt.between.verdict != blocked {
			t.Errorf("%s: number %d does not block", name, maxRefused+1)
		}
		f := refusal(tt.status)
		if b.record(tt.recipient(maxRefused+1), f); f.verdict != tt.want {
			t.Errorf("%s: judged %d, want %d", name, f.verdict, tt.want)
		}
	}
}
