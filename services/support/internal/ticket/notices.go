package ticket

// Notices is how a member of staff is told by email that customers wrote.
type Notices string

// The choices. Hourly and Daily are one email for all that was written since the first of it.
const (
	Off    Notices = "off"
	AtOnce Notices = "at_once"
	Hourly Notices = "hourly"
	Daily  Notices = "daily"
)

// Known reports whether n is one of the choices.
func (n Notices) Known() bool { return n == Off || n == AtOnce || n == Hourly || n == Daily }

// News is a ticket in which the customer wrote.
type News struct {
	// Ticket has its id, number, category and priority.
	Ticket Ticket
	// Opened: it is new, and nobody has answered it. Else the customer wrote again.
	Opened bool
}

// Viewer is a member of staff who has a ticket open.
type Viewer struct {
	Email string
	// Writing: there is an answer that they have begun.
	Writing bool
}
