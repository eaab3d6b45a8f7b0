package charttest

import (
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/v2/loader"

	"fledge.dev/services/platform/errtest"
)

// TestWrongValuesAreRefused: each message names the value and says what to do.
func TestWrongValuesAreRefused(t *testing.T) {
	loaded, err := loader.Load(chartDir)
	errtest.None(t, err)
	for _, tc := range []struct{ set, values, want string }{
		{"production", `site: {origin: ""}`, "site.origin is missing"},
		{"production", `site: {origin: http://fledge.example}`, "a public site is https"},
		{"production", `site: {origin: https://fledge.example/}`, "/site/origin"},
		{"production", `site: {origin: https://Fledge.example}`, "/site/origin"},
		{"production", `site: {origin: https://fledge.test}`, "use values-local.yaml"},
		{"production", `site: {origins: x}`, "'origins' not allowed"},
		{"production", `site: {name: "Fledge <b>"}`, "/site/name"},
		{"production", `site: {emails: {support: ""}}`, "site.emails.support is missing"},
		{"production", `site: {emails: {sales: null}}`, "site.emails.sales is missing"},
		{"production", `site: {emails: {privacy: us}}`, "/site/emails/privacy"},
		{"production", `site: {emails: {privacy: privacy@fledge.example}}`, "nothing arrives there"},
		{"production", `site: {emails: {privacy: privacy@example.com}}`, "nothing arrives there"},
		{"production", `site: {emails: {sales: sales@fledge.test}}`, "nothing arrives there"},
		{"production", `site: {emails: {press: press@fledge.dev}}`, "'press' not allowed"},
		{"local", `site: {emails: {support: ""}}`, "site.emails.support is missing"},
		{"production", `mail: {from: ""}`, "mail.from is missing"},
		{"production", `mail: {from: Fledge}`, "/mail/from"},
		{"production", `mail: {from: Fledge <hello@fledge.example>}`, "mail.from Fledge <hello@fledge.example>: nothing arrives there"},
		{"production", `mail: {from: hello@fledge.Test}`, "mail.from hello@fledge.Test: nothing arrives there"},
		{"production", `mail: {replyTo: null}`, "mail.replyTo is missing"},
		{"production", `mail: {replyTo: support@localhost}`, "mail.replyTo support@localhost: nothing arrives there"},
		{"production", `mail: {envelopeFrom: bounces@fledge.example}`, "mail.envelopeFrom bounces@fledge.example: nothing"},
		{"production", `mail: {supportTeam: team@fledge.test}`, "mail.supportTeam team@fledge.test: nothing"},
		{"production", `mail: {in: {replyAddress: reply@fledge.example}}`, "mail.in.replyAddress reply@fledge.example: nothing"},
		{"production", `mail: {smtpAddr: ""}`, "mail.smtpAddr is missing"},
		{"local", `mail: {from: ""}`, "mail.from is missing"},
		{"production", `local: {standins: {enabled: true}, secrets: true}`, "sign anybody in"},
		{"production", `local: {secrets: true}`, "secrets that anybody can compute"},
		{"local", `site: {origin: https://fledge.example}`, "sign anybody in"},
		{"local", `site: {origin: https://test}`, "sign anybody in"},
		{"local", `site: {origin: https://fledge.test.example}`, "sign anybody in"},
		{"local", `site: {origin: https://notlocalhost}`, "sign anybody in"},
		{"local", `local: {secrets: false}`, "take their passwords from local.secrets"},
		{"local", `local: {nats: {replicas: 2}}`, "/local/nats/replicas"},
		{"production", `nats: {url: ""}`, "nats.url is missing"},
		{"production", `nats: {url: "tls://user:password@nats:4222"}`, "/nats/url"},
		{"production", `nats: {streamReplicas: 2}`, "/nats/streamReplicas"},
		{"production", `{nats: {clientCertificates: true}, tls: {mode: "off"}}`, "nats.clientCertificates needs"},
		{"production", `trustedProxies: []`, "trustedProxies is empty"},
		{"production", `{ingress: {type: none}, trustedProxies: []}`, "of web's where ingress.type is none"},
		{"production", `trustedProxies: [10.0.0.1]`, "/trustedProxies/0"},
		{"production", `trustedProxies: ["0.0.0.0/0"]`, "/trustedProxies/0"},
		{"production", `networkPolicy: {peers: {ingress: []}}`, "networkPolicy.peers.ingress is empty"},
		{"production", `networkPolicy: {peers: {ingress: [{}]}}`, "/networkPolicy/peers/ingress/0"},
		{"production", `metrics: {enabled: true}`, "networkPolicy.peers.monitoring is empty"},
		{"production", `otlp: {endpoint: "http://collector:4317"}`, "networkPolicy.peers.otlp is empty"},
		{"production", `ingress: {type: nginx}`, "'ingress', 'httproute', 'none'"},
		{"production", `ingress: {type: httproute}`, "ingress.parentRefs is empty"},
		{"production", `ingress: {tlsSecret: ""}`, "ingress.tlsSecret is missing"},
		{"production", `ingress: {tls: nowhere}`, "'secret', 'outside'"},
		{"production", `ingress: {aliases: [https://www.fledge.dev]}`, "/ingress/aliases/0"},
		{"production", `ingress: {aliases: ["*.fledge.dev"]}`, "ingress.aliases: *.fledge.dev is a wildcard"},
		{"production", `ingress: {aliases: ["www.*.dev"]}`, "/ingress/aliases/0"},
		{"production", `ingress: {aliases: [www.fledge.dev, fledge.example]}`, "ingress.aliases: fledge.example is the host of site.origin"},
		{"production", `ingress: {timeouts: {request: 10 minutes}}`, "/ingress/timeouts/request"},
		{"production", `fullnameOverride: a-name-of-thirty-eight-characters-long`, "/fullnameOverride"},
		{"production", `proxy: {url: "http://proxy.example:3128"}`, "networkPolicy.peers.proxy is empty"},
		{"production", `proxy: {url: "http://user:password@proxy.example:3128"}`, "/proxy/url"},
		{"production", `proxy: {url: "http://proxy.example:3128/"}`, "/proxy/url"},
		{"production", `otlp: {endpoint: "http://collector:4317/"}`, "/otlp/endpoint"},
		{"production", `otlp: {endpoint: "collector:4317"}`, "/otlp/endpoint"},
		{"production", `commonLabels: {app.kubernetes.io/name: shop}`, "commonLabels: app.kubernetes.io/name is a label of the chart's own"},
		{"production", `services: {billing: {podLabels: {app.kubernetes.io/part-of: platform}}}`, "services.billing.podLabels: app.kubernetes.io/part-of is"},
		{"production", `jobs: {podLabels: {app.kubernetes.io/component: x}}`, "jobs.podLabels: app.kubernetes.io/component is"},
		{"production", `metrics: {labels: {app.kubernetes.io/instance: x}}`, "metrics.labels: app.kubernetes.io/instance is"},
		{"production", `metrics: {dashboardLabels: {helm.sh/chart: x}}`, "metrics.dashboardLabels: helm.sh/chart is"},
		{"production", `mail: {smtpAddr: "fd00::3:587"}`, "/mail/smtpAddr"},
		{"production", `caBundle: {configMap: a, secret: b}`, "name one of them"},
		{"production", `networkPolicy: {ports: {postgres: [0]}}`, "/networkPolicy/ports/postgres/0"},
		{"local", `site: {origin: http://shop.test}`, "plain http is for localhost only"},
		{"production", `tls: {mode: "on"}`, "'off', 'secret', 'cert-manager'"},
		{"production", `tls: {issuerRef: {name: ""}}`, "tls.issuerRef.name is missing"},
		{"production", `image: {tag: latest}`, "latest is no version"},
		{"production", `services: {gateway: {image: {digest: "sha256:12"}}}`, "/services/gateway/image/digest"},
		{"production", `services: {gateway: {replica: 3}}`, "'replica' not allowed"},
		{"production", `services: {gateway: {replicas: 0}}`, "/services/gateway/replicas"},
		{"production", `services: {gateway: {autoscaling: {maxReplicas: 1}}}`, "maxReplicas is less than"},
		{"production", `services: {payments: {replicas: 1}}`, "missing properties 'autoscaling', 'resources'"},
		{"production", `services: {billing: {env: {STRIPE_SECRET_KEY: x}}}`, "a secret must not be a plain value"},
		{"production", `services: {billing: {env: {DATABASE_MAX_CONNS: 5}}}`, "got number, want string"},
		{"production", `mail: {smtpAddr: smtp.example}`, "/mail/smtpAddr"},
		{"production", `mail: {in: {imapAddr: imap.example}}`, "/mail/in/imapAddr"},
		{"production", `mail: {in: {replyAddress: ""}}`, "mail.in.replyAddress is missing"},
		{"production", `services: {support: {secretKeys: [DATABASE_URL, NATS_PASSWORD, SMTP_PASSWORD]}}`, "services.support.secretKeys lacks IMAP_PASSWORD"},
		{"production", `services: {billing: {secretKeys: [STRIPE_SECRET_KEY]}}`, "services.billing.secretKeys lacks DATABASE_URL"},
		{"production", `services: {kratos: {secretKeys: [APPLE_PRIVATE_KEY]}}`, "services.kratos.secretKeys lacks KRATOS_DATABASE_URL"},
		{"production", `services: {kratos: {secretKeys: [KRATOS_DATABASE_URL, KRATOS_COOKIE_SECRETS, KRATOS_CIPHER_SECRETS, APPLE_PRIVATE_KEY]}}`, "services.kratos.secretKeys lacks GOOGLE_CLIENT_SECRET"},
		{"production", `services: {kratos: {secretKeys: [KRATOS_DATABASE_URL, KRATOS_COOKIE_SECRETS, KRATOS_CIPHER_SECRETS], extraEnvFrom: [{secretRef: {name: providers}}]}}`, "services.identity lacks GOOGLE_CLIENT_SECRET"},
		{"production", `services: {identity: {secretKeys: [DATABASE_URL, NATS_PASSWORD, SMTP_PASSWORD]}}`, "services.identity.secretKeys lacks KEY_ENCRYPTION_KEY"},
		{"production", `services: {billing: {secretKeys: [DATABASE_URL, NATS_PASSWORD, SMTP_PASSWORD]}}`, "services.billing.secretKeys lacks STRIPE_SECRET_KEY, which billing.stripe.publishableKey needs"},
		{"production", `services: {waitlist: {secretKeys: [DATABASE_URL, NATS_PASSWORD]}}`, "services.waitlist.secretKeys lacks SMTP_PASSWORD, which mail.user needs"},
		{"production", `mail: {user: ""}`, "mail.user is missing, but services.billing has SMTP_PASSWORD"},
		{"production", `services: {support: {env: {SMTP_USER: ""}}}`, "mail.user is missing, but services.support has SMTP_PASSWORD"},
		{"production", `mail: {tls: none}`, "mail.tls is none, but services.billing has SMTP_PASSWORD"},
		{"production", `signIn: {google: {clientId: ""}}`, "signIn.google.clientId is missing"},
		{"production", `signIn: {apple: {clientId: ""}}`, "signIn.apple.clientId is missing"},
		{"production", `signIn: {apple: {teamId: null}}`, "signIn.apple.teamId is missing"},
		{"production", `signIn: {apple: {keyId: ""}}`, "signIn.apple.keyId is missing"},
		{"production", `github: {owner: ""}`, "github.owner is missing"},
		{"local", `github: {repo: null}`, "github.repo is missing"},
		{"production", `support: {webhook: teams}`, "/support/webhook"},
		{"production", `waitlist: {approvalUndo: 601s}`, "/waitlist/approvalUndo"},
		{"production", `waitlist: {approvalUndo: 5s}`, "/waitlist/approvalUndo"},
		{"production", `support: {webhook: ""}`, "support.webhook is empty, but services.support has TICKET_WEBHOOK_URL"},
		{"production", `{support: {webhook: ""}, services: {support: {secretKeys: [DATABASE_URL, NATS_PASSWORD, SMTP_PASSWORD, IMAP_PASSWORD, MAIL_IN_REPLY_KEYS], extraEnv: [{name: TICKET_WEBHOOK_URL_FILE, value: /vault/url}]}}}`, "support.webhook is empty, but services.support has TICKET_WEBHOOK_URL"},
		{"production", `support: {notices: weekly}`, "/support/notices"},
		{"production", `services: {support: {secretKeys: [DATABASE_URL, NATS_PASSWORD, SMTP_PASSWORD, IMAP_PASSWORD, MAIL_IN_REPLY_KEYS]}}`, "services.support.secretKeys lacks TICKET_WEBHOOK_URL"},
		{"production", `services: {support: {env: {TICKET_WEBHOOK_URL: x}}}`, "a secret must not be a plain value"},
		{"production", `services: {support: {env: {MAIL_IN_REPLY_KEYS: x}}}`, "a secret must not be a plain value"},
		{"production", `signIn: {google: {clientId: GOCSPX-secret}}`, "/signIn/google/clientId"},
		{"production", `billing: {stripe: {plans: {live: {pro: {productId: x, priceId: price_1}}}}}`, "/billing/stripe/plans/live/pro/productId"},
		{"production", `billing: {stripe: {packs: {live: [{priceId: prod_1, credits: 20}]}}}`, "/billing/stripe/packs/live/0/priceId"},
		{"production", `billing: {stripe: {packs: {live: [{priceId: price_1, credits: 0}]}}}`, "/billing/stripe/packs/live/0/credits"},
		{"production", `billing: {stripe: {packs: {test: [{priceId: price_1, credits: 2.5}]}}}`, "/billing/stripe/packs/test/0/credits"},
		{"production", `billing: {stripe: {packs: {live: [{priceId: price_1}]}}}`, "missing property 'credits'"},
		{"production", `billing: {stripe: {packs: {live: [{priceId: price_1, credits: 20, price: 12}]}}}`, "'price' not allowed"},
		{"production", `billing: {stripe: {packs: {pro: []}}}`, "'pro' not allowed"},
	} {
		values := over(t, tc.set, tc.values)
		_, err := renderChart(loaded, values, false)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s with %s: %v", tc.set, tc.values, err)
		}
	}
}

// TestSupportsSecretsMayComeFromElsewhere: those of the mailbox and the webhook, like those of all services.
func TestSupportsSecretsMayComeFromElsewhere(t *testing.T) {
	const own = "services: {support: {secretKeys: [DATABASE_URL, NATS_PASSWORD, SMTP_PASSWORD], "
	with(t, own+"extraEnvFrom: [{secretRef: {name: vault}}]}}")
	with(t, own+`extraEnv: [
  {name: TICKET_WEBHOOK_URL, valueFrom: {secretKeyRef: {name: vault, key: url}}},
  {name: TICKET_WEBHOOK_SECRET, valueFrom: {secretKeyRef: {name: vault, key: secret}}},
  {name: IMAP_PASSWORD_FILE, value: /vault/imap},
  {name: MAIL_IN_REPLY_KEYS_FILE, value: /vault/keys},
]}}`)
}

// TestOneServiceMayNeedNoPasswordForMail, where its own server asks for none.
func TestOneServiceMayNeedNoPasswordForMail(t *testing.T) {
	with(t, `services: {waitlist: {env: {SMTP_USER: ""}, secretKeys: [DATABASE_URL, NATS_PASSWORD]}}`)
}

// TestNoDefaultIsAnExample: what nobody has set must not lead to a name that belongs to nobody.
func TestNoDefaultIsAnExample(t *testing.T) {
	reserved := regexp.MustCompile(`(?i)\b(example([.](com|net|org))?|test|invalid|localhost)\b`)
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for key, inner := range value {
				walk(path+"."+key, inner)
			}
		case []any:
			for _, inner := range value {
				walk(path, inner)
			}
		case string:
			if reserved.MatchString(value) {
				t.Errorf("%s is %s", strings.TrimPrefix(path, "."), value)
			}
		}
	}
	walk("", valuesOf(t, chartDir+"/values.yaml"))
}
