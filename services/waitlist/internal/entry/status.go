package entry

import "errors"

// Status is an entry's status. Only approved gives access to the downloads.
type Status string

// There are no others: the database refuses them.
const (
	Pending  Status = "pending"
	Approved Status = "approved"
	Rejected Status = "rejected"
)

// ErrRejected says that a rejected entry cannot be approved. An admin has to add
// the address again first.
var ErrRejected = errors.New("entry is rejected")

// ErrTooLate says that an approval cannot be undone any more.
var ErrTooLate = errors.New("too late to undo the approval")

// ErrHeld says that the approval email still waits, so that the approval can be undone.
var ErrHeld = errors.New("approval email has not left yet")

// ErrJustSent says that the approval email was queued or sent a moment ago, and nothing is known against it.
var ErrJustSent = errors.New("approval email has just been sent")

// ErrLeft says that the person does not want to be written to.
var ErrLeft = errors.New("entry has left the list")

// Reasons why an entry cannot be claimed.
var (
	ErrNotApproved = errors.New("entry is not approved")
	ErrClaimed     = errors.New("entry is claimed by another account")
)

// Source is where an entry came from.
type Source string

// The two forms of the landing page, and the two ways in which staff add people.
const (
	HeroSection Source = "hero_section"
	CTASection  Source = "cta_section"
	Admin       Source = "admin"
	Import      Source = "import"
)
