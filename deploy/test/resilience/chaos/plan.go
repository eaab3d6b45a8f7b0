package chaos

import (
	"math/rand/v2"
	"time"
)

// Fault is one crash: programs are killed with SIGKILL and, after a while, started
// again.
type Fault struct {
	// At is how far the storm has got, from 0 to 1. Progress and not time, so that
	// a slow machine meets the same faults at the same places.
	At float64
	// Programs are killed together.
	Programs []string
	// Down is how long they stay away.
	Down time.Duration
	// After, unless empty, is a call to Stripe, such as "POST /v1/customers", instead
	// of At: the Nth is let through, and the programs are killed when Stripe has
	// done the work and before they get the answer.
	After string
	Nth   int
}

const longestOutage = 2 * time.Second

// cuts are the calls to Stripe after which a crash would hurt most.
var cuts = []string{"POST /v1/customers", "POST /v1/checkout/sessions"}

// NewPlan returns one fault for each call of cuts, while people buy, and n that kill
// a replica or, now and then, all of them, in the order of their places. The same
// seed plans the same.
func NewPlan(seed uint64, n, people int, replicas []string) (plan []Fault) {
	random := rand.New(rand.NewPCG(seed, 1))
	for _, call := range cuts {
		// Not one of the last: a call that its caller did not outlive may need no other.
		nth := 1 + random.IntN(max(1, people/2))
		plan = append(plan, Fault{Programs: replicas, Down: outage(random), After: call, Nth: nth})
	}
	for i := range n {
		f := Fault{At: (float64(i) + random.Float64()) / float64(n), Programs: []string{replicas[random.IntN(len(replicas))]}, Down: outage(random)}
		if random.IntN(5) == 0 {
			f.Programs = replicas
		}
		plan = append(plan, f)
	}
	return plan
}

func outage(random *rand.Rand) time.Duration {
	return time.Duration(random.Int64N(int64(longestOutage)))
}

// The shares that the parts of a storm have of its progress.
const (
	buyingShare  = 0.3
	livingShare  = 0.4
	settingShare = 1 - buyingShare - livingShare
)

// Life is what happens to a subscription between its beginning and the end of the
// storm, in two acts with a month after each.
type Life [2]Act

// Act is something that a person, a bank or Stripe does.
type Act string

// The acts.
const (
	Stay        Act = "stay"
	Upgrade     Act = "upgrade"
	UpAndDown   Act = "up and down"
	Downgrade   Act = "downgrade"
	CancelLater Act = "cancel at the period's end"
	CancelNow   Act = "cancel now"
	FailOnce    Act = "fail once"
	FailAll     Act = "fail until the end"
	RefundPart  Act = "refund a part"
	RefundAll   Act = "refund all"
	DisputeLost Act = "lose a dispute"
	DisputeWon  Act = "win a dispute"
	Pause       Act = "pause and resume"
)

// Acts lists them.
func Acts() []Act {
	return []Act{
		Stay, Upgrade, UpAndDown, Downgrade, CancelLater, CancelNow, FailOnce, FailAll, RefundPart, RefundAll, DisputeLost, DisputeWon, Pause,
	}
}

// NewLives returns n lives; the same seed returns the same. Every act comes up as
// soon as there are as many lives as acts.
func NewLives(seed uint64, n int) []Life {
	random := rand.New(rand.NewPCG(seed, 2))
	lives := make([]Life, n)
	for i := range lives {
		lives[i] = Life{Acts()[i%len(Acts())], Acts()[random.IntN(len(Acts()))]}
	}
	random.Shuffle(n, func(i, j int) { lives[i], lives[j] = lives[j], lives[i] })
	return lives
}
