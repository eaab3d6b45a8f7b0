package support

import (
	"context"
	"errors"
	netmail "net/mail"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/support/internal/mailbox"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
	"fledge.dev/services/support/internal/webhook"
)

// Config is everything that the service can be told.
type Config struct {
	service.Base
	RPC      rpc.ServerConfig
	Database pg.Config
	Bus      bus.Config
	Mail     mail.Config
	Mailbox  mailbox.Config
	Access   identityclient.Config

	// TicketsPerHour is how many tickets one person may open, RepliesPerHour how
	// many messages they may add to them.
	TicketsPerHour int `env:"TICKETS_PER_HOUR" envDefault:"10"`
	RepliesPerHour int `env:"REPLIES_PER_HOUR" envDefault:"30"`
	// TeamAddress gets an email when a customer opens a ticket or writes in one; empty for nobody.
	TeamAddress string `env:"TEAM_ADDRESS"`
	// StaffNotices is how members of staff are told by email that customers wrote who have not chosen:
	// off, at_once, hourly or daily.
	StaffNotices ticket.Notices `env:"STAFF_NOTICES" envDefault:"hourly"`
	Webhook      webhook.Config
	// FirstAnswerTargets are how soon a new ticket should have its first answer, by priority; empty for no targets.
	FirstAnswerTargets ticket.Targets `env:"FIRST_ANSWER_TARGETS" envDefault:"urgent=4h high=8h medium=48h low=120h"`
}

const maxPerHour = 10_000

// Validate checks every part and reports all problems together.
func (c Config) Validate() error {
	var bounds error
	if min(c.TicketsPerHour, c.RepliesPerHour) < 1 || max(c.TicketsPerHour, c.RepliesPerHour) > maxPerHour {
		bounds = errors.New("TICKETS_PER_HOUR and REPLIES_PER_HOUR must be 1 to 10000")
	}
	var team error
	if _, err := netmail.ParseAddress(c.TeamAddress); c.TeamAddress != "" && err != nil {
		team = errors.New("TEAM_ADDRESS must be an email address, or empty")
	}
	var notices error
	if !c.StaffNotices.Known() {
		notices = errors.New("STAFF_NOTICES must be off, at_once, hourly or daily")
	}
	return errors.Join(c.Base.Validate(), c.RPC.Validate(), c.Database.Validate(), c.Bus.Validate(), c.Mail.Validate(), c.Mailbox.Validate(), c.Access.Validate(), c.Webhook.Validate(), bounds, team, notices)
}

// Migrate brings the service's database up to date.
func (c Config) Migrate(ctx context.Context) error {
	return store.Migrate(ctx, c.Database.URL.Reveal())
}
