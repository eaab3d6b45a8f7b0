package bus

import "time"

// Decode is what a consumer reads a message with.
var Decode = decode

// SetPatience bounds how long a call of Erase reads; with a negative one it makes one step.
func (e *Eraser) SetPatience(d time.Duration) { e.patience = d }
