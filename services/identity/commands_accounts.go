package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

// operator is who acts in the audit log's records of these commands.
const operator = "operator"

// accountSettings are what the commands about one account need of the service's settings: the owner is
// told by email.
type accountSettings struct {
	Database   pg.Config
	Mail       mail.Config
	SiteOrigin string `env:"SITE_ORIGIN"`
}

// Validate implements config.Validator.
func (s accountSettings) Validate() error {
	_, err := config.Origin("SITE_ORIGIN", s.SiteOrigin)
	return errors.Join(s.Database.Validate(), s.Mail.Validate(), err)
}

// onAccount runs a command about the account that its one argument names, by address or id. say is
// what do has done.
func onAccount(ctx context.Context, call service.Call, do func(context.Context, *store.Store, account.User) (say string, err error)) error {
	if len(call.Args) != 1 {
		return service.Misuse("name one account, by its address or id")
	}
	cfg, err := service.Settings[accountSettings](call)
	if err != nil {
		return err
	}
	pool, err := pg.Open(ctx, cfg.Database, call.Runtime)
	if err != nil {
		return err
	}
	defer pool.Close()
	emails, err := mail.NewQueue(pool, cfg.Mail, call.Runtime)
	if err != nil {
		return err
	}
	st := store.New(pool, account.NewAdmins(nil), cfg.Database.Deadline).WithEmails(emails, cfg.SiteOrigin)
	user, err := named(ctx, st, call.Args[0])
	if err != nil {
		return err
	}
	say, err := do(audit.WithActor(ctx, operator), st, user)
	if err != nil {
		return err
	}
	if user.Disabled {
		say += "; the account is disabled"
	}
	_, err = fmt.Fprintf(call.Out, "%s (%s) %s\n", user.Email, user.ID, say)
	return err
}

// named finds the account that an operator means.
func named(ctx context.Context, st *store.Store, who string) (account.User, error) {
	if id, err := uuid.Parse(who); err == nil {
		user, err := st.User(ctx, id)
		if errors.Is(err, store.ErrUnknownUser) {
			return user, fmt.Errorf("no account has the id %s", id)
		}
		return user, err
	}
	address := strings.ToLower(strings.TrimSpace(who))
	users, err := st.UsersByAddress(ctx, address)
	switch {
	case err != nil:
		return account.User{}, err
	case len(users) == 0:
		return account.User{}, fmt.Errorf("no account has the address %s: accounts begin with the first sign-in", address)
	case len(users) > 1:
		ids := make([]string, len(users))
		for i, u := range users {
			ids[i] = u.ID.String()
		}
		return account.User{}, fmt.Errorf("several accounts have the address %s, name one by its id: %s", address, strings.Join(ids, ", "))
	}
	return users[0], nil
}

const accountHelp = `
The change is in the audit log, by "operator", and the owner of the account gets an email.
Services know it within five seconds. Needs DATABASE_URL, SITE_ORIGIN and the settings
of mail, as the service has them.
`

const grantAdminHelp = `
Whoever is named signs in once before: accounts begin with that.
` + accountHelp

func grantAdmin() service.Command {
	return service.Command{
		Name: "grant-admin", Arguments: "<address | id>",
		Summary: "give an account the admin role", Help: grantAdminHelp,
		Run: func(ctx context.Context, call service.Call) error {
			return onAccount(ctx, call, func(ctx context.Context, st *store.Store, user account.User) (string, error) {
				change, err := st.GrantAdmin(ctx, user.ID, call.Runtime.Clock.Now())
				if err == nil && !change.Changed() {
					return "was an admin already", nil
				}
				return "is an admin now", err
			})
		},
	}
}

const revokeAdminHelp = `
  --force  even if no admin is left who can sign in; grant-admin makes the next one
` + accountHelp

func revokeAdmin() service.Command {
	return service.Command{
		Name: "revoke-admin", Arguments: "[--force] <address | id>",
		Summary: "take the admin role from an account", Help: revokeAdminHelp,
		Run: func(ctx context.Context, call service.Call) error {
			named := len(call.Args)
			call.Args = slices.DeleteFunc(slices.Clone(call.Args), func(arg string) bool { return arg == "--force" || arg == "-force" })
			force := len(call.Args) < named
			return onAccount(ctx, call, func(ctx context.Context, st *store.Store, user account.User) (string, error) {
				change, err := st.RevokeAdmin(ctx, user.ID, force, call.Runtime.Clock.Now())
				switch {
				case errors.Is(err, store.ErrLastAdmin):
					return "", fmt.Errorf("%s is the only admin who can sign in: --force takes the role nevertheless", user.Email)
				case err == nil && !change.Changed():
					return "was no admin", nil
				}
				return "is no admin any more", err
			})
		},
	}
}
