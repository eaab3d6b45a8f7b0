package store

// What an account is in, by what identity has said last.
const (
	Active   = "active"
	Disabled = "disabled"
	// Erased is for good.
	Erased = "erased"
)
