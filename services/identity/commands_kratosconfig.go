package identity

import (
	"context"
	"fmt"
	"path/filepath"

	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/service"
)

const kratosConfigHelp = `
Checks the settings of Ory Kratos and writes its whole configuration, kratos.yml,
which its owner alone may read. Run it before every start of Kratos and as the same
user (an init container and a memory volume), and then

  kratos migrate sql -e -y -c <directory>/kratos.yml
  kratos serve -c <directory>/kratos.yml

Every setting may come from a file: KEY_FILE names one.

  SITE_ORIGIN                 https://example.com
  KRATOS_DATABASE_URL         Kratos' own database; KRATOS_DATABASE_MAX_CONNS (20)
  KRATOS_PUBLIC_ADDR          where it listens (:4433, on all addresses)
  KRATOS_ADMIN_ADDR           and for administration (:4434)
  KRATOS_ADMIN_URL            how identity reaches that
  KRATOS_HOOK_URL, HOOK_KEY   identity's HOOK_ADDR as Kratos reaches it, and its key
  KRATOS_COOKIE_SECRETS       exactly 32 characters each, by commas, the newest first
  KRATOS_CIPHER_SECRETS       the same
  GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET
  APPLE_CLIENT_ID, APPLE_APP_ID, APPLE_TEAM_ID, APPLE_KEY_ID, APPLE_PRIVATE_KEY
  KRATOS_STAND_IN_URL         instead of both providers, on this machine only

deploy/docs/sign-in-providers.md tells where to get the providers' values.
`

func kratosConfig() service.Command {
	return service.Command{
		Name: "kratos-config", Arguments: "<directory>",
		Summary: "check the settings of Ory Kratos and write its configuration", Help: kratosConfigHelp,
		Run: func(_ context.Context, call service.Call) error {
			if len(call.Args) != 1 {
				return service.Misuse("one directory is needed")
			}
			cfg, err := service.Settings[kratosconfig.Config](call)
			if err != nil {
				return err
			}
			if err := cfg.Write(call.Args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintln(call.Out, "wrote", filepath.Join(call.Args[0], kratosconfig.ConfigFile))
			return err
		},
	}
}
