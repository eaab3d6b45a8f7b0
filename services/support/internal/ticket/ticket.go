// Package ticket defines support tickets and how they may change, without a database or
// a clock.
//
// A ticket starts open. Staff may set in_progress, resolved or closed from any status. A
// customer's answer reopens a resolved ticket; a closed one takes no more answers.
package ticket

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/fault"
)

// Status is where a ticket stands.
type Status string

// The statuses.
const (
	Open       Status = "open"
	InProgress Status = "in_progress"
	Resolved   Status = "resolved"
	Closed     Status = "closed"
)

// Category is what a ticket is about.
type Category string

// The categories.
const (
	Bug              Category = "bug"
	FeatureRequest   Category = "feature_request"
	Billing          Category = "billing"
	TechnicalSupport Category = "technical_support"
	Other            Category = "other"
)

// Words is the category as people read it, such as "feature request".
func (c Category) Words() string { return strings.ReplaceAll(string(c), "_", " ") }

// Priority is how soon a ticket wants an answer.
type Priority string

// The priorities.
const (
	Low    Priority = "low"
	Medium Priority = "medium"
	High   Priority = "high"
	Urgent Priority = "urgent"
)

// Author is the side that a message comes from.
type Author string

// The sides.
const (
	Customer Author = "customer"
	Staff    Author = "staff"
)

// Person is an account with the verified address of its session.
type Person struct {
	ID    uuid.UUID
	Email string
}

// Ticket is one thing that a customer asked.
type Ticket struct {
	ID       uuid.UUID
	Number   int64
	Customer Person
	Content
	Status    Status
	CreatedAt time.Time
	UpdatedAt time.Time
	// Version counts the changes, from 1.
	Version int64
	StaffFields
}

// StaffFields are what staff see of a ticket besides; customers never do.
type StaffFields struct {
	LastMessageAt time.Time
	LastMessageBy Author
	// WaitingSince is when the customer wrote first since staff answered, resolved or closed.
	// Zero: nobody waits for staff.
	WaitingSince time.Time
	// AnsweredAt is the first answer of staff, or zero.
	AnsweredAt time.Time
	// ResolvedAt is when it was last resolved, if it still is or was closed since; in an Export alone.
	ResolvedAt time.Time
	// Assignee is whose work it is; without an id, nobody's.
	Assignee Person
	// Tags are words in alphabetical order, with a space between.
	Tags string
}

// Label is the number as people read it.
func (t Ticket) Label() string { return fmt.Sprintf("TKT-%06d", t.Number) }

// Message is one part of the thread that followed a ticket.
type Message struct {
	ID          uuid.UUID
	Author      Author
	AuthorEmail string
	Body        string
	CreatedAt   time.Time
}

// Change is one line of a ticket's history.
type Change struct {
	ID         int64
	At         time.Time
	ActorEmail string
	// Field is "status", "message", what Edit changes, or "plan" for a priority that followed the
	// customer's plan.
	Field    string
	From, To string
}

// The refusals of a change.
var (
	ErrNotFound = fault.New(fault.NotFound, "ticket_not_found", "There is no such ticket.")
	ErrClosed   = fault.New(fault.Conflict, "ticket_closed", "This ticket is closed. Please open a new one.")
	ErrStale    = fault.New(fault.Conflict, "stale_ticket", "Somebody else has changed this ticket in the meantime.")
)

// Step is one change of a ticket: the status before and after, and the message
// that came with it, if any.
type Step struct {
	Ticket Ticket
	Before Status
	By     Author
	// Body is empty when nobody wrote.
	Body Text
}

// StatusChanged reports whether the step moved the ticket.
func (s Step) StatusChanged() bool { return s.Before != s.Ticket.Status }

// Reopened reports whether the ticket is worked on again.
func (s Step) Reopened() bool {
	over := func(status Status) bool { return status == Resolved || status == Closed }
	return over(s.Before) && !over(s.Ticket.Status)
}

// Update is what staff wants.
type Update struct {
	// Status may be empty beside a response, and stays then.
	Status Status
	// Response may be empty.
	Response Text
	// Key names the response, so that a repeated request adds it once. It may be empty.
	Key string
	// Version is what the decision was made on; 0 takes whatever it is.
	Version int64
}

// Apply returns the step that the update makes, at the given time. It fails with
// ErrStale for an older version. An update that changes nothing, because the
// status is that already and there is no response, returns false.
func (t Ticket) Apply(u Update, now time.Time) (Step, bool, error) {
	if u.Version != 0 && u.Version != t.Version {
		return Step{Ticket: t}, false, ErrStale
	}
	if u.Status == "" {
		u.Status = t.Status
	}
	if u.Status == t.Status && u.Response == "" {
		return Step{Ticket: t}, false, nil
	}
	return t.step(u.Status, Staff, u.Response, now), true, nil
}

// Reply returns the step that the customer's message makes, or ErrClosed.
func (t Ticket) Reply(body Text, now time.Time) (Step, error) {
	status := t.Status
	switch status {
	case Closed:
		return Step{}, ErrClosed
	case Resolved:
		status = Open
	}
	return t.step(status, Customer, body, now), nil
}

func (t Ticket) step(status Status, by Author, body Text, now time.Time) Step {
	before := t.Status
	t.Status, t.UpdatedAt, t.Version = status, now, t.Version+1
	t.written(by, body, now)
	return Step{Ticket: t, Before: before, By: by, Body: body}
}

// written keeps what staff see of the thread. Resolving and closing are answers, too: nobody
// waits for more until the customer writes again.
func (t *Ticket) written(by Author, body Text, now time.Time) {
	if body != "" {
		t.LastMessageAt, t.LastMessageBy = now, by
	}
	switch {
	case by == Customer && t.WaitingSince.IsZero():
		t.WaitingSince = now
	case by == Staff && (body != "" || t.Status == Resolved || t.Status == Closed):
		t.WaitingSince = time.Time{}
	}
	if by == Staff && body != "" && t.AnsweredAt.IsZero() {
		t.AnsweredAt = now
	}
}
