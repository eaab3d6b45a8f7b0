// Package natsserver runs the local stack's NATS: JetStream on disk, one account, one
// user per service with rights of its own; one server, or a cluster of them. The same configuration
// serves a server inside this process and nats-server as a program of its own; the
// users and their rights are production's.
package natsserver

import (
	"bytes"
	"strconv"
	"text/template"

	"fledge.dev/deploy/cluster/natsusers"
)

// Options describes a server.
type Options struct {
	// Name is the server's own in a cluster.
	Name string
	// Port on 127.0.0.1.
	Port int
	// Cluster is the cluster that the server belongs to; nil is none.
	Cluster *Cluster
	// StoreDir keeps the streams.
	StoreDir string
	// LogFile takes the server's log.
	LogFile string
	// TLS is mutual: a client needs a certificate in addition to its password.
	TLS TLS
	// Passwords are those of the services, which alone may connect.
	Passwords map[string]string
}

// Cluster describes a server's place in a cluster.
type Cluster struct {
	// Port on 127.0.0.1 for the other servers, and Ports those of all.
	Port  int
	Ports []int
}

// TLS names PEM files.
type TLS struct{ CertFile, KeyFile, CAFile string }

var configTemplate = template.Must(template.New("nats.conf").Funcs(template.FuncMap{
	"quote": strconv.Quote, "authorization": natsusers.Authorization,
}).Parse(`server_name: {{quote .Name}}
listen: "127.0.0.1:{{.Port}}"
log_file: {{quote .LogFile}}
logfile_size_limit: 5MB
max_payload: 256KB
{{define "tls"}}tls {
  cert_file: {{quote .CertFile}}
  key_file: {{quote .KeyFile}}
  ca_file: {{quote .CAFile}}
  verify: true
  min_version: "1.3"
}{{end}}
{{- template "tls" .TLS}}
{{- with .Cluster}}
cluster {
  name: fledge
  listen: "127.0.0.1:{{.Port}}"
  # Clients know all servers already, some by the address of a link to them.
  no_advertise: true
  routes: [
{{- range .Ports}}
    "nats-route://127.0.0.1:{{.}}"
{{- end}}
  ]
  {{template "tls" $.TLS}}
}
{{- end}}
jetstream {
  store_dir: {{quote .StoreDir}}
  max_memory_store: 16MB
  # Acknowledged means on the disk: the default syncs every two minutes.
  sync_interval: always
}
{{authorization .Passwords}}`))

// Config renders nats-server's configuration file. It holds passwords.
func (o Options) Config() ([]byte, error) {
	var out bytes.Buffer
	err := configTemplate.Execute(&out, o)
	return out.Bytes(), err
}
