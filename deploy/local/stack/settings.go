package stack

import (
	"strconv"
	"strings"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/standins/github"
)

// AdminEmail has the admin role from the first start, TesterEmail is an
// approved tester.
const (
	AdminEmail  = "admin@fledge.test"
	TesterEmail = "tester@fledge.test"
)

// settings is the whole environment of a service's instance.
func (s *Stack) settings(instance string) ([]string, error) {
	name := serviceOf(instance)
	env := []string{
		"OPS_ADDR=" + s.plan.ops[instance],
		"STOP_TIMEOUT=10s",
		"SITE_ORIGIN=" + s.origin(),
		"INTERNAL_TOKEN_FILE=" + s.secrets.internalToken.path,
		"IDENTITY_ADDR=" + s.target(instance, "identity"),
	}
	env = append(env, s.tlsSettings(name)...)
	if name == gatewayName {
		env = append(env, s.gatewaySettings(instance)...)
	} else {
		databaseFile, err := s.databaseFile(instance)
		if err != nil {
			return nil, err
		}
		env = append(env,
			"GRPC_ADDR="+s.plan.grpc[instance],
			"DATABASE_URL_FILE="+databaseFile,
			"NATS_URL="+s.natsURL(instance),
			"NATS_STREAM_REPLICAS="+strconv.Itoa(len(s.opts.natsInstances())),
			"NATS_CERT_FILE="+s.certificates[name].cert,
			"NATS_KEY_FILE="+s.certificates[name].key,
			"NATS_CA_FILE="+s.certificates[name].ca,
			"NATS_USER="+name,
			"NATS_PASSWORD_FILE="+s.secrets.nats[name].path,
		)
	}
	switch name {
	case "identity":
		env = append(env,
			"KRATOS_PUBLIC_URL=http://"+s.via(instance, kratosName, s.plan.kratosPublic),
			"KRATOS_ADMIN_URL=http://"+s.via(instance, kratosName, s.plan.kratosAdmin),
			"HOOK_ADDR="+s.plan.hooks[instance],
			"HOOK_KEY_FILE="+s.secrets.hookKey.path,
			"KEY_ENCRYPTION_KEY_FILE="+s.secrets.keyEncryptionKey.path,
			"BOOTSTRAP_ADMIN_EMAILS="+AdminEmail,
		)
	case "billing":
		env = append(env, s.stripeSettings(instance)...)
	case "waitlist", "support":
		env = append(env, "SMTP_ADDR="+s.via(instance, "mail", s.smtpAddr), "SMTP_TLS=none")
	case "releases":
		env = append(env,
			"GITHUB_API_URL=http://"+s.via(instance, "github", ports.Loopback(s.plan.github)),
			"GITHUB_DOWNLOAD_HOSTS="+ports.Loopback(s.plan.github), // past a link
			"GITHUB_OWNER="+github.Owner,
			"GITHUB_REPO="+github.Repo,
			"GITHUB_TOKEN="+github.Token,
			"RELEASES_INITIAL_AVAILABILITY=enabled",
		)
	}
	return override(env, s.opts.Settings[name]), nil
}

func (s *Stack) gatewaySettings(instance string) []string {
	env := []string{
		"HTTP_ADDR=" + s.plan.http[instance],
		"KRATOS_PUBLIC_URL=http://" + s.via(instance, kratosName, s.plan.kratosPublic),
		"TRUSTED_PROXIES=127.0.0.1/32",
	}
	for _, name := range Services() {
		env = append(env, strings.ToUpper(name)+"_ADDR="+s.target(instance, name))
	}
	return env
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
