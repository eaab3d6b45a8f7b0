package link

// Links are several links that share a fate.
type Links []*Link

// Cut resets all connections. New ones are carried.
func (l Links) Cut() { l.each((*Link).Cut) }

// Refuse is Link.Refuse on all.
func (l Links) Refuse() { l.each((*Link).Refuse) }

// Blackhole is Link.Blackhole on all.
func (l Links) Blackhole() { l.each((*Link).Blackhole) }

// Heal is Link.Heal on all.
func (l Links) Heal() { l.each((*Link).Heal) }

func (l Links) each(do func(*Link)) {
	for _, link := range l {
		do(link)
	}
}
