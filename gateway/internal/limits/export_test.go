package limits

// Known is how many networks of clients have a place.
func (f *InFlight) Known() int { return len(f.clients) }
