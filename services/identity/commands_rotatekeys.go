package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

const rotateKeysHelp = `
  access   the key that signs access tokens
  refresh  the secret that refresh tokens are made under
Without either word it is both.

Without --now a new key is made and published, and takes over in about half an
hour. Nobody notices. It is what the schedule (KEY_ROTATION_INTERVAL) does too.

--now is for keys that leaked: new keys take over at once and all older ones are
deleted. Replicas notice within 30 seconds, and then
  access   every access token is void. Browsers and Macs get a new one by
           themselves; for up to a minute some of their requests are answered with 401.
           Services and gateway let go of the old key within a minute,
           whoever is active.
  refresh  every refresh token is void. Browsers go on by their cookie; on each
           Mac people must sign in again.

With --now and neither word the keys need not be readable, so that this is also
how to go on after KEY_ENCRYPTION_KEY was lost or replaced: run it under the new
one, then restart every replica with it.

Needs DATABASE_URL and KEY_ENCRYPTION_KEY, as the service has them.
`

func rotateKeys() service.Command {
	return service.Command{
		Name: "rotate-keys", Arguments: "[--now] [access | refresh]",
		Summary: "replace the keys of tokens, gently or (--now) because they leaked", Help: rotateKeysHelp,
		Run: runRotateKeys,
	}
}

type keysSettings struct {
	Database         pg.Config
	KeyEncryptionKey config.Secret `env:"KEY_ENCRYPTION_KEY"`
}

// Validate implements config.Validator.
func (s keysSettings) Validate() error {
	return errors.Join(s.Database.Validate(), validateEncryptionKey(s.KeyEncryptionKey))
}

func runRotateKeys(ctx context.Context, call service.Call) error {
	now, purposes, err := rotateKeysArguments(call.Args)
	if err != nil {
		return err
	}
	cfg, err := service.Settings[keysSettings](call)
	if err != nil {
		return err
	}
	sealer, err := keyring.NewSealer(cfg.KeyEncryptionKey)
	if err != nil {
		return err
	}
	pool, err := pg.Open(ctx, cfg.Database, call.Runtime)
	if err != nil {
		return err
	}
	defer pool.Close()
	ring := keyring.New(store.New(pool, account.NewAdmins(nil), cfg.Database.Deadline), sealer, call.Runtime.Clock)
	if now {
		if err := ring.Replace(ctx, purposes...); err != nil {
			return err
		}
		_, err = fmt.Fprintf(call.Out, "new keys are in use (%v), the older ones are deleted; replicas notice within %s\n", purposes, keyring.ReloadInterval)
		return err
	}
	from, err := ring.Rotate(ctx, purposes...)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(call.Out, "new keys are published (%v) and take over at about %s\n", purposes, from.Format(time.RFC3339))
	return err
}

func rotateKeysArguments(args []string) (now bool, purposes []keyring.Purpose, err error) {
	for _, arg := range args {
		switch arg {
		case "--now", "-now":
			now = true
		case "access":
			purposes = append(purposes, keyring.AccessToken)
		case "refresh":
			purposes = append(purposes, keyring.RefreshToken)
		default:
			return false, nil, service.Misuse("%q is neither --now nor access nor refresh", arg)
		}
	}
	switch len(purposes) {
	case 0:
		purposes = keyring.Purposes()
	case 1:
	default:
		return false, nil, service.Misuse("name one of access and refresh, or neither for both")
	}
	return now, purposes, nil
}
