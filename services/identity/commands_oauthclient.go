package identity

import (
	"context"
	"fmt"

	"fledge.dev/services/identity/internal/oauthclient"
	"fledge.dev/services/platform/service"
)

const oauthClientHelp = `
Prints a new secret of a server of yours, which it shows to get access tokens
(OAuth's client credentials), and the word for OAUTH_CLIENTS, which has the
hashes of all such secrets. Nothing is stored: the secret is shown this once.

To replace a secret, add the new word beside the old one, give the server the
new secret, and take the old word away. Tokens of the old one end within ten
minutes.
`

func oauthClient() service.Command {
	return service.Command{
		Name: "oauth-client", Arguments: "<client id>", Summary: "make a secret of a server that spends people's credits", Help: oauthClientHelp,
		Run: func(_ context.Context, call service.Call) error {
			if len(call.Args) != 1 {
				return service.Misuse("one client id is needed, such as builder")
			}
			secret, word, err := oauthclient.New(call.Args[0])
			if err != nil {
				return service.Misuse("%w", err)
			}
			_, err = fmt.Fprintf(call.Out, "client_id      %s\nclient_secret  %s\nOAUTH_CLIENTS  %s\n", call.Args[0], secret, word)
			return err
		},
	}
}
