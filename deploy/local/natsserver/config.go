// Package natsserver runs the local stack's NATS server: JetStream on disk, one
// account, one user per service with rights of its own. The same configuration
// serves a server inside this process and nats-server as a program of its own.
package natsserver

import (
	"bytes"
	"strconv"
	"strings"
	"text/template"
)

// Options describes a server.
type Options struct {
	// Port on 127.0.0.1.
	Port int
	// StoreDir keeps the streams.
	StoreDir string
	// LogFile takes the server's log.
	LogFile string
	// Users may connect; nobody else can.
	Users []User
}

// User is a service.
type User struct {
	// Service is the user's name, and the owner of fledge.<service>.> and of
	// the stream FLEDGE_<SERVICE>.
	Service  string
	Password string
	// Consumes names the services whose streams this one reads.
	Consumes []string
}

// A service publishes its own subjects, creates and updates its own stream, but
// cannot delete or purge it; it reads and acknowledges on the streams it consumes,
// and listens to any event. Package bus documents these rights.
var configTemplate = template.Must(template.New("nats.conf").Funcs(template.FuncMap{
	"quote": strconv.Quote, "stream": func(service string) string { return "FLEDGE_" + strings.ToUpper(service) },
}).Parse(`server_name: fledge
listen: "127.0.0.1:{{.Port}}"
log_file: {{quote .LogFile}}
logfile_size_limit: 5MB
max_payload: 256KB
jetstream {
  store_dir: {{quote .StoreDir}}
  max_memory_store: 16MB
  # Acknowledged means on the disk: the default syncs every two minutes.
  sync_interval: always
}
authorization {
  users: [
{{- range .Users}}
    {
      user: {{quote .Service}}
      password: {{quote .Password}}
      permissions {
        publish: [
          "fledge.{{.Service}}.>"
          "$JS.API.STREAM.CREATE.{{stream .Service}}"
          "$JS.API.STREAM.UPDATE.{{stream .Service}}"
          "$JS.API.STREAM.MSG.GET.{{stream .Service}}"
{{- range .Consumes}}
          "$JS.API.CONSUMER.CREATE.{{stream .}}.>"
          "$JS.API.CONSUMER.INFO.{{stream .}}.>"
          "$JS.API.CONSUMER.MSG.NEXT.{{stream .}}.>"
          "$JS.ACK.{{stream .}}.>"
{{- end}}
        ]
        subscribe: ["_INBOX.>", "fledge.>"]
      }
    }
{{- end}}
  ]
}
`))

// Config renders nats-server's configuration file. It holds passwords.
func (o Options) Config() ([]byte, error) {
	var out bytes.Buffer
	err := configTemplate.Execute(&out, o)
	return out.Bytes(), err
}
