package stack

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/standins/github"
)

// AdminEmail has the admin role from the first start, TesterEmail is an
// approved tester.
const (
	AdminEmail  = "admin@fledge.test"
	TesterEmail = "tester@fledge.test"
)

// Settings is the whole environment of a service, for its commands.
func (s *Stack) Settings(service string) ([]string, error) { return s.settings(service) }

// settings is the whole environment of a service's instance.
func (s *Stack) settings(instance string) ([]string, error) {
	name := serviceOf(instance)
	program := programs()[name]
	env := []string{
		"OPS_ADDR=" + s.plan.ops[instance],
		"STOP_TIMEOUT=10s",
		"SITE_ORIGIN=" + s.origin(),
		"INTERNAL_TOKEN_FILE=" + s.secrets.internalToken.path,
	}
	env = append(env, s.tlsSettings(name)...)
	if name == gatewayName {
		env = append(env, "HTTP_ADDR="+s.plan.http[instance], "TRUSTED_PROXIES=127.0.0.1/32")
	} else {
		env = append(env,
			"GRPC_ADDR="+s.plan.grpc[instance],
			"NATS_URL="+s.natsURL(instance),
			"NATS_STREAM_REPLICAS="+strconv.Itoa(len(s.opts.natsInstances())),
			"NATS_CERT_FILE="+s.certificates[name].cert,
			"NATS_KEY_FILE="+s.certificates[name].key,
			"NATS_CA_FILE="+s.certificates[name].ca,
			"NATS_USER="+name,
			"NATS_PASSWORD_FILE="+s.secrets.nats[name].path,
		)
	}
	if program.Database {
		databaseFile, err := s.databaseFile(instance)
		if err != nil {
			return nil, err
		}
		env = append(env, "DATABASE_URL_FILE="+databaseFile)
	}
	for _, callee := range program.Calls {
		if s.public() && slices.Contains([]string{"providers", "github", "stripe"}, callee) {
			continue // as an installation has it
		}
		env = append(env, s.callSettings(instance, callee)...)
	}
	if name == "identity" {
		env = append(env,
			"KRATOS_ADMIN_URL=http://"+s.via(instance, kratosName, s.plan.kratosAdmin),
			"HOOK_ADDR="+s.plan.hooks[instance],
			"HOOK_KEY_FILE="+s.secrets.hookKey.path,
			"KEY_ENCRYPTION_KEY_FILE="+s.secrets.keyEncryptionKey.path,
			"BOOTSTRAP_ADMIN_EMAILS="+AdminEmail,
			"HAND_OFF_TOKENS=true",
		)
	}
	if s.public() {
		var err error
		if env, err = s.installed(name, override(env, s.publicSettings(program.Calls))); err != nil {
			return nil, err
		}
	}
	return override(env, s.opts.Settings[name]), nil
}

// callSettings say how an instance reaches what it calls.
func (s *Stack) callSettings(instance, callee string) []string {
	switch callee {
	case kratosName:
		return []string{"KRATOS_PUBLIC_URL=http://" + s.via(instance, kratosName, s.plan.kratosPublic)}
	case "stripe":
		return s.stripeSettings(instance)
	case "providers":
		return []string{"KRATOS_STAND_IN_URL=" + s.urls.Providers}
	case "mail":
		if s.public() { // with the chart's sender, by STARTTLS
			return []string{"SMTP_ADDR=" + net.JoinHostPort(prepare.MailHost, strconv.Itoa(s.plan.smtp))}
		}
		return []string{
			"SMTP_ADDR=" + s.via(instance, "mail", s.smtpAddr), "SMTP_TLS=none",
			"MAIL_FROM=Fledge <hello@fledge.test>", "MAIL_REPLY_TO=support@fledge.test",
		}
	case "github":
		return []string{
			"GITHUB_API_URL=http://" + s.via(instance, "github", ports.Loopback(s.plan.github)),
			"GITHUB_DOWNLOAD_HOSTS=" + ports.Loopback(s.plan.github), // past a link
			"GITHUB_OWNER=" + github.Owner,
			"GITHUB_REPO=" + github.Repo,
			"GITHUB_TOKEN=" + github.Token,
			"RELEASES_INITIAL_AVAILABILITY=enabled",
		}
	}
	return []string{strings.ToUpper(callee) + "_ADDR=" + s.target(instance, callee)}
}

// override puts settings in the place of those with the same key.
func override(env, with []string) []string {
	for _, setting := range with {
		key, _, _ := strings.Cut(setting, "=")
		kept := env[:0:0]
		for _, old := range env {
			if !strings.HasPrefix(old, key+"=") {
				kept = append(kept, old)
			}
		}
		env = append(kept, setting)
	}
	return env
}
