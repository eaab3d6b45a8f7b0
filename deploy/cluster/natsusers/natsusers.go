package natsserver

import (
	"bytes"
	"text/template"

	"fledge.dev/services/platform/bus"
)

// rolesChanged is what every service that remembers roles listens to, see identityclient.Client.Watch.
const rolesChanged = "fledge.identity.v1.user.roles_changed"

// Services lists each service's rights on NATS, on one machine and in production. A new
// consumer or watch of a service needs a line here.
func Services() []bus.Rights {
	watching := []string{rolesChanged}
	return []bus.Rights{
		{Service: "identity", Durables: []bus.Durable{ // what staff changed
			{Name: "identity-audit-identity", From: "identity", Subject: "fledge.identity.v1.staff.action"},
			{Name: "identity-audit-waitlist", From: "waitlist", Subject: "fledge.waitlist.v1.staff.action"},
			{Name: "identity-audit-releases", From: "releases", Subject: "fledge.releases.v1.staff.action"},
			{Name: "identity-audit-support", From: "support", Subject: "fledge.support.v1.staff.action"},
		}},
		{Service: "billing", Watches: watching},
		{Service: "waitlist", Watches: watching, Durables: []bus.Durable{
			{Name: "waitlist-stats", From: "waitlist", Subject: "fledge.waitlist.v1.users.joined"},
			{Name: "waitlist-approval-mail", From: "waitlist", Subject: "fledge.waitlist.v1.user.approved"},
		}},
		{Service: "support", Watches: watching},
		{Service: "releases", Watches: watching},
	}
}

// User is a service with its password.
type User struct {
	bus.Rights
	Password string
}

// secret is the password as it stands in the file: the text itself, or the name of the
// variable that nats-server reads it from.
func (u User) secret() string {
	if u.Password == "" {
		return "$" + u.Variable()
	}
	return quote(u.Password)
}

var authorizationTemplate = template.Must(template.New("authorization").Funcs(template.FuncMap{
	"quote": quote, "secret": User.secret,
}).Parse(`authorization {
  users: [
{{- range .}}
    {
      user: {{quote .Service}}
      password: {{secret .}}
      permissions {
        publish: [
{{- range .Publish}}
          {{quote .}}
{{- end}}
        ]
        subscribe: [
{{- range .Subscribe}}
          {{quote .}}
{{- end}}
        ]
      }
    }
{{- end}}
  ]
}
`))

// Authorization renders the users as a part of nats-server's configuration. Of those
// without a password it is taken from nats-server's environment: NATS_BILLING_PASSWORD
// and so on.
func Authorization(users []User) (string, error) {
	var out bytes.Buffer
	err := authorizationTemplate.Execute(&out, users)
	return out.String(), err
}
