// Package natsserver runs the local stack's NATS server: JetStream on disk, one
// account, one user per service with rights of its own. The same configuration
// serves a server inside this process and nats-server as a program of its own; the
// table of the users is production's, too.
package natsserver

import (
	"bytes"
	"strconv"
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
	// TLS is mutual: a client shows a certificate besides its password.
	TLS TLS
	// Users may connect; nobody else can.
	Users []User
}

// TLS names PEM files.
type TLS struct{ CertFile, KeyFile, CAFile string }

var configTemplate = template.Must(template.New("nats.conf").Funcs(template.FuncMap{
	"quote": quote, "authorization": Authorization,
}).Parse(`server_name: fledge
listen: "127.0.0.1:{{.Port}}"
log_file: {{quote .LogFile}}
logfile_size_limit: 5MB
max_payload: 256KB
tls {
  cert_file: {{quote .TLS.CertFile}}
  key_file: {{quote .TLS.KeyFile}}
  ca_file: {{quote .TLS.CAFile}}
  verify: true
  min_version: "1.3"
}
jetstream {
  store_dir: {{quote .StoreDir}}
  max_memory_store: 16MB
  # Acknowledged means on the disk: the default syncs every two minutes.
  sync_interval: always
}
{{authorization .Users}}`))

func quote(s string) string { return strconv.Quote(s) }

// Config renders nats-server's configuration file. It holds passwords.
func (o Options) Config() ([]byte, error) {
	var out bytes.Buffer
	err := configTemplate.Execute(&out, o)
	return out.Bytes(), err
}
