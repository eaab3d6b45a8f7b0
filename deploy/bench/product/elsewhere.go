package product

import (
	"fmt"
	"strings"
)

// elsewhere is Supabase Auth at bc32168 (August 2026), with 64 connections on a quiet
// machine of the kind that ours are from: 2 × AMD EPYC. It is no Go module to be had, so
// it cannot be measured in pairs as PocketBase is; what stands here are its rates and
// those of pgbench beside it, which spoke no TLS.
var elsewhere = struct {
	insert, sel float64
	peers       []peer
}{
	insert: 29_100, sel: 83_000,
	peers: []peer{
		{"GET /user", 2_000, userRoute},
		{"POST /token, refreshing", 0.26 * 2_000, refreshing}, // measured as a share of the row before
	},
}

// peer is an operation of Supabase Auth's, its rate, and which of ours does the same.
type peer struct {
	theirs string
	rate   float64
	ours   string
}

// ahead is by how much ours are to be ahead of it.
const ahead = 5

const elsewhereHead = `## Signed-in reads beside Supabase Auth, by figures

No pair: figures of Supabase Auth at bc32168, measured on another day on a quiet machine of this kind (2 × AMD EPYC, 64 connections)
beside pgbench without TLS, which then did %.0f INSERTs or %.0f SELECTs a second. Each rate is a share of the same pgbench's of its
own day; how far ours is ahead of theirs is the smaller one of both comparisons. Their refreshing was measured as 0.26 of
their GET /user, which also reads a person's session and identities.

| theirs | of INSERT | of SELECT | ours | of INSERT | of SELECT | ahead | goal |
|---|---:|---:|---|---:|---:|---:|---|
`

// beside compares with Supabase Auth; nothing unless both groups were measured.
func beside(results []Result) string {
	rates := map[string]float64{}
	for _, r := range results {
		for i, load := range r.Group.Loads {
			if _, ok := rates[load.Name]; !ok {
				rates[load.Name] = r.Rate(i).Median
			}
		}
	}
	insert, sel := rates[plainInserts], rates[plainSelects]
	if insert == 0 || sel == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, elsewhereHead, elsewhere.insert, elsewhere.sel)
	for _, p := range elsewhere.peers {
		theirInsert, theirSelect := p.rate/elsewhere.insert, p.rate/elsewhere.sel
		ourInsert, ourSelect := rates[p.ours]/insert, rates[p.ours]/sel
		times := min(ourInsert/theirInsert, ourSelect/theirSelect)
		fmt.Fprintf(&b, "| %s | %.3f | %.3f | %s | %.3f | %.3f | **%.1f×** | ≥ %d×: %s |\n",
			p.theirs, theirInsert, theirSelect, p.ours, ourInsert, ourSelect, times, ahead, met(times >= ahead))
	}
	return b.String() + "\n"
}
