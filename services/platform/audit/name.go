package audit

import "slices"

// Name is what was done: "<what>.<what was done to it>". One that is not in the
// list below cannot be recorded, so that the log can be filtered by all there are.
type Name string

// The changes that staff can make.
const (
	WaitlistAdded       Name = "waitlist.added"
	WaitlistApproved    Name = "waitlist.approved"
	WaitlistRemoved     Name = "waitlist.removed"
	WaitlistImported    Name = "waitlist.imported"
	RolesChanged        Name = "user.roles_changed"
	AvailabilityChanged Name = "release.availability_changed"
	RolloutChanged      Name = "release.rollout_changed"
	TicketUpdated       Name = "ticket.updated"
)

// Names lists every action, in the order in which people choose among them.
func Names() []Name {
	return []Name{
		WaitlistAdded, WaitlistApproved, WaitlistRemoved, WaitlistImported, RolesChanged,
		AvailabilityChanged, RolloutChanged, TicketUpdated,
	}
}

// Known reports whether the name is in the list.
func (n Name) Known() bool { return slices.Contains(Names(), n) }
