// Package natsusers writes the users of NATS as a part of nats-server's configuration: one for
// each service, with the rights that follow from what it is. Production's and those of the
// local stack are the same.
package natsusers

import (
	"bytes"
	"strconv"
	"text/template"

	"fledge.dev/services"
	"fledge.dev/services/platform/bus"
)

// user is a service with its password.
type user struct {
	bus.Rights
	password string
}

// Secret is the password as it stands in the file: the text itself, or the name of the
// variable that nats-server reads it from.
func (u user) Secret() string {
	if u.password == "" {
		return "$" + u.Variable()
	}
	return strconv.Quote(u.password)
}

var authorization = template.Must(template.New("authorization").Parse(`# Written from the Spec of each service (services/<name>/<name>.go).
authorization {
  users: [
{{- range .}}
    {
      user: {{printf "%q" .Service}}
      password: {{.Secret}}
      permissions {
        publish: [
{{- range .Publish}}
          {{printf "%q" .}}
{{- end}}
        ]
        subscribe: [
{{- range .Subscribe}}
          {{printf "%q" .}}
{{- end}}
        ]
      }
    }
{{- end}}
  ]
}
`))

// Authorization is the text for the services with these passwords. One that is missing is
// taken from nats-server's environment: NATS_BILLING_PASSWORD and so on.
func Authorization(passwords map[string]string) (string, error) {
	var users []user
	for _, service := range services.All() {
		users = append(users, user{service.Rights(), passwords[service.Name]})
	}
	var out bytes.Buffer
	err := authorization.Execute(&out, users)
	return out.String(), err
}
