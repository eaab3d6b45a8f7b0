// Package everything breaks all parts of the product while people use it: two replicas of
// the gateway and of each service, a cluster of three NATS servers, PostgreSQL and Kratos,
// each a process of its own with links between them. At the end it compares the databases
// and the emails with what was acknowledged.
package everything

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"fledge.dev/services"
)

// Act is what a fault does.
type Act string

// The acts.
const (
	Kill      Act = "kill"       // SIGKILL
	Pause     Act = "pause"      // SIGSTOP, then SIGCONT
	Wipe      Act = "wipe"       // kill all of NATS and remove what it has stored
	Cut       Act = "cut"        // reset the connections
	Refuse    Act = "refuse"     // reset them, and each new one
	Blackhole Act = "black-hole" // nothing passes, nobody is told
)

// Fault is something that breaks and is repaired after a while.
type Fault struct {
	// At is how far the time of the faults has got, from 0 to 1.
	At  float64
	Act Act
	// Parts are the programs that share the fate, of Kill, Pause and Wipe.
	Parts []string
	// From and To are the ends of the links, of the others.
	From, To string
	// Down is how long it lasts, at least.
	Down time.Duration
}

func (f Fault) String() string {
	if f.From != "" {
		return fmt.Sprintf("%s %s to %s for %s", f.Act, f.From, f.To, f.Down.Round(time.Millisecond))
	}
	return fmt.Sprintf("%s %s for %s", f.Act, strings.Join(f.Parts, " and "), f.Down.Round(time.Millisecond))
}

const (
	replicas    = 2
	natsServers = 3
)

var natsNames = []string{"nats", "nats-2", "nats-3"}

// Kinds is how many kinds of faults there are; a plan of as many has each.
var Kinds = len(deal(rand.New(rand.NewPCG(0, 0))))

// NewPlan returns n faults in the order of their places, each at most longest. Every
// kind comes up before one comes up again. The same seed plans the same.
func NewPlan(seed uint64, n int, longest time.Duration) (plan []Fault) {
	random := rand.New(rand.NewPCG(seed, 3))
	for len(plan) < n {
		dealt := deal(random)
		random.Shuffle(len(dealt), func(i, j int) { dealt[i], dealt[j] = dealt[j], dealt[i] })
		plan = append(plan, dealt...)
	}
	plan = plan[:n]
	for i := range plan {
		plan[i].At = (float64(i) + random.Float64()) / float64(n)
		plan[i].Down = time.Duration(random.Int64N(int64(longest)))
	}
	return plan
}

// deal returns a fault of each kind.
func deal(random *rand.Rand) []Fault {
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	programs := append(services.Names(), "gateway")
	instance := func() string {
		name := pick(programs)
		if random.IntN(replicas) > 0 {
			name += "-2"
		}
		return name
	}
	both := pick(programs)
	most := slices.Clone(natsNames)
	random.Shuffle(len(most), func(i, j int) { most[i], most[j] = most[j], most[i] })
	between := func(act Act, to ...string) Fault {
		return Fault{Act: act, From: pick(services.Names()), To: pick(to)}
	}
	return []Fault{
		{Act: Kill, Parts: []string{instance()}},
		{Act: Kill, Parts: []string{instance()}},
		{Act: Kill, Parts: []string{both, both + "-2"}},
		{Act: Kill, Parts: []string{"postgres"}},
		{Act: Kill, Parts: []string{"kratos"}},
		{Act: Kill, Parts: []string{pick(natsNames)}},
		{Act: Kill, Parts: most[:2]},
		{Act: Pause, Parts: []string{pick(natsNames)}},
		{Act: Pause, Parts: []string{instance()}},
		{Act: Pause, Parts: []string{"postgres"}},
		{Act: Wipe, Parts: natsNames},
		between(Cut, "postgres", "nats"),
		between(Refuse, "postgres", "nats"),
		between(Blackhole, "postgres", "nats"),
		{Act: Cut, From: "gateway", To: pick(services.Names())},
		{Act: Blackhole, From: "gateway", To: pick(services.Names())},
	}
}
