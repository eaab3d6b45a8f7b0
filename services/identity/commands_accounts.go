package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

// operator is who acts in the audit log's records of these commands.
const operator = "operator"

// accountSettings are what the commands about one account need of the service's settings: the owner is
// told by email.
type accountSettings struct {
	Database      pg.Config
	Mail          mail.Config
	SiteOrigin    string        `env:"SITE_ORIGIN"`
	DeletionGrace time.Duration `env:"DELETION_GRACE" envDefault:"168h"`
}

// Validate implements config.Validator.
func (s accountSettings) Validate() error {
	errs := []error{s.Database.Validate(), s.Mail.Validate()}
	if _, err := config.Origin("SITE_ORIGIN", s.SiteOrigin); err != nil {
		errs = append(errs, err)
	}
	if s.DeletionGrace < 0 {
		errs = append(errs, errors.New("DELETION_GRACE must not be negative"))
	}
	return errors.Join(errs...)
}

// order is what an operator wants of one account.
type order struct {
	*store.Store
	user   account.User
	reason string
	// address is the new one, for a command that takes one.
	address string
	now     time.Time
	grace   time.Duration
	force   bool
	call    service.Call
}

// further is what a command takes besides the account and a reason.
type further struct{ force, address bool }

// accountCommand is a command about one account. do answers in words what it has done, and why not all,
// or why nothing.
func accountCommand(c service.Command, takes further, do func(context.Context, order) (string, error)) service.Command {
	c.Arguments = "<address | id> [reason]"
	switch {
	case takes.force:
		c.Arguments = "[--force] " + c.Arguments
	case takes.address:
		c.Arguments = "<address | id> <new address> [reason]"
	}
	c.Help += accountHelp
	c.Run = func(ctx context.Context, call service.Call) error {
		isForce := func(arg string) bool { return arg == "--force" || arg == "-force" }
		args := call.Args
		o := order{call: call}
		if takes.force && slices.ContainsFunc(args, isForce) {
			o.force, args = true, slices.DeleteFunc(slices.Clone(args), isForce)
		}
		if len(args) < 1 {
			return errNameOne
		}
		who, args := args[0], args[1:]
		if takes.address {
			if len(args) == 0 {
				return service.Misuse("name the new address, too")
			}
			to, err := address.Parse(args[0])
			if err != nil {
				return service.Misuse("the new address: %w", err)
			}
			o.address, args = to, args[1:]
		}
		if len(args) > 1 || len(args) == 1 && isAccount(args[0]) {
			return errNameOne
		}
		if len(args) == 1 {
			reason, err := audit.ParseReason(args[0])
			if err != nil {
				return service.Misuse("the reason: %w", err)
			}
			o.reason = reason
		}
		return carryOut(audit.WithActor(ctx, operator), call, who, o, do)
	}
	return c
}

var errNameOne = service.Misuse("name one account, by its address or id, and perhaps a reason in quotes")

// isAccount tells of a word in the reason's place that a second account is meant.
func isAccount(word string) bool {
	return address.Is(word) || uuid.Validate(strings.TrimSpace(word)) == nil
}

func carryOut(ctx context.Context, call service.Call, who string, o order, do func(context.Context, order) (string, error)) error {
	cfg, err := service.Settings[accountSettings](call)
	if err != nil {
		return err
	}
	pool, err := pg.Open(ctx, cfg.Database, call.Runtime)
	if err != nil {
		return err
	}
	defer pool.Close()
	emails, err := mail.NewQueue(pool, cfg.Mail, email.BuiltIn(cfg.SiteOrigin), call.Runtime)
	if err != nil {
		return err
	}
	o.Store = store.New(pool, account.NewAdmins(nil), cfg.Database.Deadline).WithEmails(emails, cfg.SiteOrigin)
	o.grace = cfg.DeletionGrace
	found, err := o.Person(ctx, strings.TrimSpace(who))
	if errors.Is(err, store.ErrUnknownUser) {
		if _, err := address.Parse(who); errors.Is(err, address.ErrLetters) {
			return err
		}
		return fmt.Errorf("no account has the address or id %q: accounts begin with the first sign-in", who)
	}
	if err != nil {
		return err
	}
	// The database has said by now what its time is.
	o.user, o.now = found.User, call.Runtime.Clock.Now()
	say, err := do(ctx, o)
	if say != "" {
		if _, err := fmt.Fprintf(call.Out, "%s (%s) %s\n", o.user.Email, o.user.ID, say); err != nil {
			return err
		}
	}
	switch {
	case errors.Is(err, store.ErrLastAdmin):
		return fmt.Errorf("%s is the only admin who can sign in: grant-admin somebody else first, or revoke-admin --force", o.user.Email)
	case errors.Is(err, store.ErrDeleting):
		return fmt.Errorf("%s is going to be deleted: enable takes that back", o.user.Email)
	case errors.Is(err, store.ErrDisabled):
		return fmt.Errorf("%s is disabled, and nobody can sign in to it: enable it first", o.user.Email)
	case err != nil:
		return fmt.Errorf("%s: %w", o.user.Email, err)
	}
	return nil
}

const accountHelp = `
The change is in the audit log with the reason, by "operator". Running services know it
within seconds, and so does Kratos. Needs DATABASE_URL, SITE_ORIGIN, DELETION_GRACE and the
settings of mail, as the service has them.
`

// told is what was done, unless it was so before.
func told(changed bool, done, before string, err error) (string, error) {
	switch {
	case err != nil:
		return "", err
	case !changed:
		return before, nil
	}
	return done, nil
}

// accountCommands are an operator's ways to change accounts without the site.
func accountCommands() []service.Command {
	return []service.Command{
		accountCommand(service.Command{
			Name: "grant-admin", Summary: "give an account the admin role",
			Help: "The person has signed in once before, and is told by email.\n",
		}, further{}, func(ctx context.Context, o order) (string, error) {
			change, err := o.GrantAdmin(ctx, o.user.ID, o.reason, o.now)
			done := "is an admin now"
			if o.user.Disabled {
				done += ", but the account is disabled"
			}
			return told(change.Changed(), done, "was an admin already", err)
		}),
		accountCommand(service.Command{
			Name: "revoke-admin", Summary: "take the admin role from an account",
			Help: "The person is told by email.\n\n  --force  even if no admin is left who can sign in; grant-admin makes the next one\n",
		}, further{force: true}, func(ctx context.Context, o order) (string, error) {
			change, err := o.RevokeAdmin(ctx, o.user.ID, o.force, o.reason, o.now)
			return told(change.Changed(), "is no admin any more", "was no admin", err)
		}),
		accountCommand(service.Command{
			Name: "disable", Summary: "disable an account and sign it out everywhere",
			Help: "Nobody can sign in to it until it is enabled; its plan does not renew.\n",
		}, further{}, func(ctx context.Context, o order) (string, error) {
			change, err := o.SetState(ctx, o.user.ID, account.StateDisabled, o.reason, o.now)
			return told(change.Changed, fmt.Sprintf("is disabled, and signed out on %d devices", change.Ended), "was disabled already", err)
		}),
		accountCommand(service.Command{
			Name: "enable", Summary: "put a disabled account back into use",
			Help: "It also takes back a deletion that has begun and is not done.\n",
		}, further{}, func(ctx context.Context, o order) (string, error) {
			change, err := o.SetState(ctx, o.user.ID, account.StateActive, o.reason, o.now)
			return told(change.Changed, "can be signed in to again", "was enabled already", err)
		}),
		accountCommand(service.Command{
			Name: "delete-account", Summary: "begin the deletion of an account",
			Help: "It is signed out and disabled at once, the person is told by email, and after\nDELETION_GRACE it is erased in all services. Until then, enable takes it back.\n",
		}, further{}, func(ctx context.Context, o order) (string, error) {
			eraseAt := o.now.Add(o.grace)
			_, err := o.DeleteByStaff(ctx, o.user.ID, o.reason, o.now, eraseAt)
			return told(true, "is disabled, and will be erased on "+eraseAt.UTC().Format("2 January 2006 at 15:04 UTC"), "", err)
		}),
		accountCommand(service.Command{
			Name: "reset-second-factor", Summary: "remove the authenticator app and recovery codes of an account",
			Help: "For an admin who has lost both, and knows no other admin. The account is signed out\neverywhere, and the person is told by email. Also needs KRATOS_PUBLIC_URL and KRATOS_ADMIN_URL.\n",
		}, further{}, resetSecondFactor),
		accountCommand(service.Command{
			Name: "change-address", Summary: "give an account another address",
			Help: "For a person who has shown you that the new address is theirs: it counts as verified, and\ndecides about the waitlist. They are signed out everywhere and sign in as before, and the\nold and the new address are told by email. Also needs KRATOS_PUBLIC_URL and KRATOS_ADMIN_URL.\n",
		}, further{address: true}, changeAddress),
	}
}

// kratosClient is for what a command does in Kratos at once; others leave it to the running service.
func (o order) kratosClient() (*kratos.Client, error) {
	cfg, err := service.Settings[kratos.Config](o.call)
	if err != nil {
		return nil, err
	}
	return kratos.New(cfg, o.call.Runtime.Metrics)
}

func changeAddress(ctx context.Context, o order) (string, error) {
	client, err := o.kratosClient()
	if err != nil {
		return "", err
	}
	defer client.Close()
	change, err := o.ChangeAddress(ctx, o.user.ID, o.address, o.reason, o.now, func(ctx context.Context) error {
		return client.SetEmail(ctx, o.user.ID, o.address, o.now)
	})
	switch {
	case errors.Is(err, store.ErrAddressTaken), errors.Is(err, kratos.ErrEmailTaken):
		return "", fmt.Errorf("another account has the address %s: it has to be deleted, or to get another address, first", o.address)
	case errors.Is(err, kratos.ErrGone):
		return "", store.ErrGone
	case errors.Is(err, fault.Unavailable):
		return "", fmt.Errorf("perhaps Kratos has the new address; the same command again does the rest: %w", err)
	case err != nil:
		return "", err
	case !change.Changed:
		return "has this address already", o.endSessions(ctx, client)
	}
	return fmt.Sprintf("has the address %s now, and is signed out on %d devices", o.address, change.Ended), o.endSessions(ctx, client)
}

// endSessions ends what Kratos has of sessions, after the change: until then the cookies open nothing, but
// Kratos remembers who signed in.
func (o order) endSessions(ctx context.Context, client *kratos.Client) error {
	err := o.EndAtKratos(ctx, o.user.ID, func(ctx context.Context) error { return client.EndSessions(ctx, o.user.ID) })
	if err != nil {
		return fmt.Errorf("the sessions in Kratos are left; the same command again ends them: %w", err)
	}
	return nil
}

func resetSecondFactor(ctx context.Context, o order) (string, error) {
	client, err := o.kratosClient()
	if err != nil {
		return "", err
	}
	defer client.Close()
	ended, err := o.ResetSecondFactor(ctx, o.user.ID, o.reason, o.now, client)
	if errors.Is(err, kratos.ErrNoSecondFactor) {
		return "has no second factor", o.endSessions(ctx, client)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("has no second factor any more, and is signed out on %d devices", ended), o.endSessions(ctx, client)
}
