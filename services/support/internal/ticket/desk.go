package ticket

import (
	"time"

	"github.com/google/uuid"
)

// Note is what staff wrote for staff.
type Note struct {
	ID          uuid.UUID
	AuthorEmail string
	Body        string
	CreatedAt   time.Time
}

// CannedAnswer is a text that staff may start an answer with.
type CannedAnswer struct {
	ID          uuid.UUID
	Title, Body string
}

const maxTitle = 100

// ParseTitle reads the title of a canned answer.
func ParseTitle(field, typed string) (string, error) {
	title, err := oneLine(field, typed, maxTitle)
	if err == nil && title == "" {
		err = Invalid(field, "must not be empty")
	}
	return title, err
}

// Edit is what staff sets besides the status. Empty and nil keep what is.
type Edit struct {
	Priority Priority
	Category Category
	// Assignee without an id is nobody.
	Assignee *Person
	Tags     *string
}

// Edit returns the ticket with the edit, and what that changes.
func (t Ticket) Edit(e Edit, now time.Time) (Ticket, []Change) {
	var changes []Change
	change := func(field, from, to string) { changes = append(changes, Change{Field: field, From: from, To: to}) }
	if e.Priority != "" && e.Priority != t.Priority {
		change("priority", string(t.Priority), string(e.Priority))
		t.Priority = e.Priority
	}
	if e.Category != "" && e.Category != t.Category {
		change("category", string(t.Category), string(e.Category))
		t.Category = e.Category
	}
	if e.Assignee != nil && e.Assignee.ID != t.Assignee.ID {
		change("assignee", t.Assignee.Email, e.Assignee.Email)
		t.Assignee = *e.Assignee
	}
	if e.Tags != nil && *e.Tags != t.Tags {
		change("tags", t.Tags, *e.Tags)
		t.Tags = *e.Tags
	}
	if len(changes) > 0 {
		t.UpdatedAt, t.Version = now, t.Version+1
	}
	return t, changes
}
