package bus

import "time"

// Pausing returns the spec with pauses between tries of at most so long.
func (s ConsumerSpec) Pausing(most time.Duration) ConsumerSpec {
	s.maxBackoff = most
	return s
}
