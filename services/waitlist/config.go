package waitlist

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/waitlist/internal/invitation"
	"fledge.dev/services/waitlist/internal/store"
)

const (
	day = 24 * time.Hour
	// minUndo and maxUndo bound how long an approval email waits.
	minUndo, maxUndo = 10 * time.Second, 10 * time.Minute
)

// Config is everything that the service can be told.
type Config struct {
	service.Base
	RPC      rpc.ServerConfig
	Database pg.Config
	Bus      bus.Config
	Mail     mail.Config
	Access   identityclient.Config

	// JoinBatch is the most sign-ups in one statement.
	JoinBatch int `env:"JOIN_BATCH" envDefault:"128"`
	// JoinQueue is the most sign-ups that wait for the statement before theirs;
	// more are told to try again.
	JoinQueue int `env:"JOIN_QUEUE" envDefault:"2048"`
	// ConfirmSignUps has people confirm their address, by the link in an email, before they are on the list.
	ConfirmSignUps bool `env:"CONFIRM_SIGN_UPS" envDefault:"false"`
	// ReminderAfter is how long after the approval email somebody is reminded, once, who has not used the
	// invitation; 0 is never.
	ReminderAfter time.Duration `env:"INVITATION_REMINDER_AFTER" envDefault:"0"`
	// ExpiresAfter is how long after it the approval ends of somebody who has not; 0 is never.
	ExpiresAfter time.Duration `env:"INVITATION_EXPIRES_AFTER" envDefault:"0"`
	// ApprovalUndo is how long staff can undo an approval of theirs, while its email waits; 0 sends it at once.
	ApprovalUndo time.Duration `env:"APPROVAL_UNDO" envDefault:"0"`
}

// Validate checks every part and reports all problems together.
func (c Config) Validate() error {
	var bounds error
	if c.JoinBatch < 1 || c.JoinQueue < 1 {
		bounds = errors.New("JOIN_BATCH and JOIN_QUEUE must be positive")
	}
	if c.ApprovalUndo != 0 && (c.ApprovalUndo < minUndo || c.ApprovalUndo > maxUndo) {
		bounds = errors.Join(bounds, errors.New("APPROVAL_UNDO must be 0, or from 10s to 10m"))
	}
	return errors.Join(c.Base.Validate(), c.RPC.Validate(), c.Database.Validate(), c.Bus.Validate(),
		c.Mail.Validate(), c.Access.Validate(), bounds, c.validateInvitations())
}

func (c Config) validateInvitations() error {
	days := func(key string, d, most time.Duration) error {
		if d != 0 && (d < day || d > most) {
			return fmt.Errorf("%s must be 0, or from 24h to %gh", key, most.Hours())
		}
		return nil
	}
	err := errors.Join(days("INVITATION_REMINDER_AFTER", c.ReminderAfter, invitation.LatestReminder),
		days("INVITATION_EXPIRES_AFTER", c.ExpiresAfter, invitation.LongestTerm))
	if c.ReminderAfter > 0 && c.ExpiresAfter > 0 && c.ExpiresAfter <= c.ReminderAfter {
		err = errors.Join(err, errors.New("INVITATION_EXPIRES_AFTER must be longer than INVITATION_REMINDER_AFTER"))
	}
	return err
}

// Migrate brings the service's database up to date.
func (c Config) Migrate(ctx context.Context) error {
	return store.Migrate(ctx, c.Database.URL.Reveal())
}
