{{/*
What each workload is; values.yaml has how many and how large, which of them are services, and what they call.

  ports      by name; "ops" serves /metrics and, of Go programs, /livez and /readyz
  headless   gRPC: clients spread calls over the pods themselves
  env        settings; services.<name>.env overrides them
  shared     keys taken from the shared Secret
  kratos     keys taken from Kratos' Secret
  volumes    further volumes with their mounts
  peers      port at which the pods ask each other, also those that are starting or ending
  guarded    a second container serves the metrics, at "ops"
  sleep      seconds before SIGTERM, for programs that do not drain by themselves
*/}}
{{- define "fledge.shape" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}
{{- $shape := dict -}}
{{- if has $name (list "gateway" "identity" "kratos" "support" "waitlist" "web") }}{{ $shape = include (printf "fledge.shape.%s" $name) $root | fromYaml }}{{ end -}}
{{- if (index $root.Values.services $name).database }}{{ $shape = merge $shape (include "fledge.shape.service" . | fromYaml) }}{{ end -}}
{{- if $shape.go }}{{ $shape = merge $shape (include "fledge.shape.go" $root | fromYaml) }}{{ end -}}
{{- if include "fledge.mailTemplates" . | fromYaml }}{{ $shape = merge $shape (include "fledge.shape.mailTemplates" . | fromYaml) }}{{ end -}}
{{- range include "fledge.calls" . | fromYamlArray }}{{ $shape = merge $shape (dict "env" (include "fledge.callSettings" (list $root .) | fromYaml)) }}{{ end -}}
{{- if or (hasKey $shape "Error") (hasKey (default dict $shape.env) "Error") }}{{ fail (printf "shape of %s: %s" $name (toYaml $shape)) }}{{ end -}}
{{- toYaml $shape -}}
{{- end }}

{{/* What a workload calls: what its values name and, of the gateway, every service. */}}
{{- define "fledge.calls" -}}
{{- $services := (index . 0).Values.services -}}{{- $name := index . 1 -}}
{{- range (index $services $name).calls }}
- {{ . }}
{{- end }}
{{- range $other, $service := $services }}
{{- if and $service.database (eq $name "gateway") }}
- {{ $other }}
{{- end }}
{{- end }}
{{- end }}

{{/* The settings by which a workload reaches what it calls: (list root called). */}}
{{- define "fledge.callSettings" -}}
{{- $called := index . 1 -}}
{{- if has $called (list "kratos" "mail" "providers" "stripe" "github") }}{{ include (printf "fledge.call.%s" $called) (index . 0) }}
{{- else }}
{{- /* Every address of a headless Service. */}}{{ upper $called }}_ADDR: dns:///{{ include "fledge.fullname" (index . 0) }}-{{ $called }}:9000
{{- end -}}
{{- end }}

{{/* The files of the installation's own emails of a service: (list root name). */}}
{{- define "fledge.mailTemplates" -}}
{{- $templates := (index . 0).Values.mail.templates -}}
{{- with index $templates (index . 1) -}}{{ toYaml (merge dict . $templates.layout) }}
{{- else -}}
{{- if and $templates.layout (hasKey $templates (index . 1)) }}{{ toYaml $templates.layout }}{{ end -}}
{{- end -}}
{{- end }}

{{- define "fledge.shape.mailTemplates" -}}
env:
  MAIL_TEMPLATES_DIR: /etc/fledge/mail
volumes:
  - name: mail-templates
    path: /etc/fledge/mail
    source: {configMap: {name: {{ include "fledge.fullname" (index . 0) }}-{{ index . 1 }}-mail}}
{{- end }}

{{/* Settings of every Go program. */}}
{{- define "fledge.shape.go" -}}
ports: {ops: 9090}
env:
  OPS_ADDR: ":9090"
  SITE_ORIGIN: {{ .Values.site.origin | quote }}
  LOG_LEVEL: {{ .Values.logLevel | quote }}
  DRAIN_DELAY: {{ .Values.shutdown.drainSeconds }}s
  STOP_TIMEOUT: {{ .Values.shutdown.stopSeconds }}s
  {{- with .Values.otlp.endpoint }}
  OTLP_ENDPOINT: {{ . | quote }}
  {{- end }}
shared: [INTERNAL_TOKEN]
probes:
  startup: {path: /livez, port: ops}
  readiness: {path: /readyz, port: ops}
  liveness: {path: /livez, port: ops}
{{- end }}

{{/* Settings of a service that owns a database and publishes events. */}}
{{- define "fledge.shape.service" -}}
{{- $root := index . 0 -}}
go: true
database: true
headless: true
ports: {grpc: 9000}
env:
  GRPC_ADDR: ":9000"
  MIGRATE_ON_START: {{ eq (include "fledge.migratesOnStart" $root) "true" | quote }}
  NATS_URL: {{ include "fledge.natsURL" $root | quote }}
  NATS_USER: {{ index . 1 }}
  NATS_STREAM_REPLICAS: {{ ternary $root.Values.local.nats.replicas $root.Values.nats.streamReplicas $root.Values.local.nats.enabled | quote }}
{{- end }}

{{/* Whether pods migrate, because no Job does, or none could before an installation. */}}
{{- define "fledge.migratesOnStart" -}}
{{- if or .Values.local.postgres.enabled (not .Values.migrations.jobs) }}true{{ end -}}
{{- end }}

{{- define "fledge.shape.gateway" -}}
go: true
ports: {http: 8080}
env:
  HTTP_ADDR: ":8080"
  HSTS_SUBDOMAINS: {{ .Values.site.hstsSubdomains | quote }}
  {{- with .Values.appLinks }}
  APP_LINKS: {{ join "," . | quote }}
  {{- end }}
  TRUSTED_PROXIES: {{ join "," .Values.trustedProxies | default "127.0.0.1/32" | quote }}
  {{- with .Values.mail.reports.sesTopics }}
  MAIL_REPORTS_SES_TOPICS: {{ join "," . | quote }}
  {{- end }}
  {{- if .Values.local.standins.enabled }}
  DOWNLOAD_HOSTS: github.com,github.{{ (include "fledge.site" . | fromYaml).host }}
  {{- end }}
{{- end }}

{{- define "fledge.shape.identity" -}}
ports: {hooks: 8090}
shared: [INTERNAL_TOKEN, HOOK_KEY]
{{- if not .Values.local.standins.enabled }}
kratos: {{ include "fledge.providerKeys" . }}
{{- end }}
env:
  HOOK_ADDR: ":8090"
  KRATOS_ADMIN_URL: http://{{ include "fledge.fullname" . }}-kratos:4434
  HAND_OFF_TOKENS: {{ .Values.handOffTokens | quote }}
  DELETION_GRACE: {{ .Values.deletionGrace | quote }}
  STAFF_SECOND_FACTOR: {{ include "fledge.word" .Values.staffSecondFactor | quote }}
  BOOTSTRAP_ADMIN_EMAILS: {{ join "," .Values.bootstrapAdmins | quote }}
{{- end }}

{{/* The providers' secrets that are in Kratos' Secret; those from elsewhere reach identity as they reach Kratos. */}}
{{- define "fledge.providerKeys" -}}
{{- $keys := list -}}
{{- range list "GOOGLE_CLIENT_SECRET" "APPLE_PRIVATE_KEY" }}{{ if has . $.Values.services.kratos.secretKeys }}{{ $keys = append $keys . }}{{ end }}{{ end -}}
{{- toJson $keys -}}
{{- end }}

{{- define "fledge.call.kratos" -}}
KRATOS_PUBLIC_URL: http://{{ include "fledge.fullname" . }}-kratos:4433
{{- end }}

{{/* Kratos signs people in by the same, and identity checks it. */}}
{{- define "fledge.call.providers" -}}
{{- if .Values.local.standins.enabled }}
KRATOS_STAND_IN_URL: http://{{ include "fledge.fullname" . }}-standins:8081
{{- else }}
GOOGLE_CLIENT_ID: {{ .Values.signIn.google.clientId | quote }}
APPLE_CLIENT_ID: {{ .Values.signIn.apple.clientId | quote }}
APPLE_APP_ID: {{ .Values.signIn.apple.appId | quote }}
APPLE_TEAM_ID: {{ .Values.signIn.apple.teamId | quote }}
APPLE_KEY_ID: {{ .Values.signIn.apple.keyId | quote }}
{{- end }}
{{- end }}

{{- define "fledge.call.mail" -}}
MAIL_FROM: {{ .Values.mail.from | quote }}
MAIL_REPLY_TO: {{ .Values.mail.replyTo | quote }}
MAIL_ENVELOPE_FROM: {{ .Values.mail.envelopeFrom | quote }}
SMTP_HELO: {{ .Values.mail.helo | quote }}
{{- if .Values.local.standins.enabled }}
SMTP_ADDR: {{ include "fledge.fullname" . }}-standins:2525
SMTP_TLS: none
{{- else }}
SMTP_ADDR: {{ .Values.mail.smtpAddr | quote }}
SMTP_TLS: {{ .Values.mail.tls }}
SMTP_USER: {{ .Values.mail.user | quote }}
SMTP_AUTH: {{ .Values.mail.auth }}
{{- end }}
{{- end }}

{{- define "fledge.call.stripe" -}}
FREE_MONTHLY_CREDITS: {{ .Values.billing.freeMonthlyCredits | int64 | quote }}
BILLING_MAILS: {{ .Values.billing.mails.enabled | quote }}
LOW_CREDIT_MAILS: {{ .Values.billing.mails.lowCredits | quote }}
CREDITS_ENDING_MAIL: {{ .Values.billing.mails.creditsEnding | quote }}
STRIPE_PUBLISHABLE_KEY: {{ .Values.billing.stripe.publishableKey | quote }}
{{- range $mode, $plans := .Values.billing.stripe.plans }}
{{- range $plan, $offer := $plans }}
STRIPE_{{ upper $mode }}_{{ upper $plan }}_PRODUCT_ID: {{ $offer.productId | quote }}
STRIPE_{{ upper $mode }}_{{ upper $plan }}_PRICE_ID: {{ $offer.priceId | quote }}
{{- with $offer.annualPriceId }}
STRIPE_{{ upper $mode }}_{{ upper $plan }}_ANNUAL_PRICE_ID: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- range $mode, $packs := .Values.billing.stripe.packs }}
{{- $pairs := list }}
{{- range $packs }}
{{- $pairs = append $pairs (printf "%s=%d" .priceId (.credits | int64)) }}
{{- end }}
STRIPE_{{ upper $mode }}_PACKS: {{ join "," $pairs | quote }}
{{- end }}
{{- with .Values.billing.stripe.checkout }}
STRIPE_ALLOW_PROMOTION_CODES: {{ .allowPromotionCodes | quote }}
STRIPE_AUTOMATIC_TAX: {{ .automaticTax | quote }}
STRIPE_TAX_ID_COLLECTION: {{ .taxIdCollection | quote }}
STRIPE_TERMS_OF_SERVICE_CONSENT: {{ .termsOfServiceConsent | quote }}
STRIPE_TRIAL_DAYS: {{ .trialDays | int64 | quote }}
{{- end }}
{{- if .Values.local.standins.enabled }}
STRIPE_API_URL: http://{{ include "fledge.fullname" . }}-standins:8084
{{- end }}
{{- end }}

{{- define "fledge.call.github" -}}
GITHUB_OWNER: {{ .Values.github.owner | quote }}
GITHUB_REPO: {{ .Values.github.repo | quote }}
RELEASES_INITIAL_AVAILABILITY: {{ .Values.github.initialAvailability }}
{{- if .Values.local.standins.enabled }}
GITHUB_API_URL: http://{{ include "fledge.fullname" . }}-standins:8083
GITHUB_DOWNLOAD_HOSTS: github.{{ (include "fledge.site" . | fromYaml).host }}
{{- end }}
{{- end }}

{{- define "fledge.shape.support" -}}
env:
  TEAM_ADDRESS: {{ .Values.mail.supportTeam | quote }}
  STAFF_NOTICES: {{ include "fledge.word" .Values.support.notices | quote }}
  {{- with .Values.support.webhook }}
  TICKET_WEBHOOK_FORMAT: {{ . }}
  {{- end }}
  {{- with .Values.mail.in }}
  {{- if .imapAddr }}
  IMAP_ADDR: {{ .imapAddr | quote }}
  IMAP_TLS: {{ .tls }}
  IMAP_USER: {{ .user | quote }}
  MAIL_IN_REPLY_ADDRESS: {{ .replyAddress | quote }}
  MAIL_IN_TRUSTED_HOST: {{ .trustedHost | quote }}
  {{- end }}
  {{- end }}
{{- end }}

{{- define "fledge.shape.waitlist" -}}
env:
  CONFIRM_SIGN_UPS: {{ .Values.waitlist.confirmSignUps | quote }}
  INVITATION_REMINDER_AFTER: {{ .Values.waitlist.reminderAfter | quote }}
  INVITATION_EXPIRES_AFTER: {{ .Values.waitlist.expiresAfter | quote }}
  APPROVAL_UNDO: {{ .Values.waitlist.approvalUndo | quote }}
{{- end }}

{{- define "fledge.shape.web" -}}
ports: {http: 8080, ops: 9090}
peers: http
sleep: true
args: [run, --config, /etc/caddy/Caddyfile, --adapter, caddyfile]
env:
  FLEDGE_SITE_ADDRESS: http://:8080
  FLEDGE_OPS_PORT: "9090"
  FLEDGE_SITE_ORIGIN: {{ .Values.site.origin | quote }}
  {{- $web := printf "%s-web" (include "fledge.fullname" .) }}
  FLEDGE_HOSTS: {{ join " " (concat (list $web (printf "%s.%s" $web .Release.Namespace) (printf "%s.%s.svc" $web .Release.Namespace) (printf "%s.%s.svc.%s" $web .Release.Namespace .Values.clusterDomain) (printf "%s-peers" $web)) .Values.ingress.aliases) | quote }}
  {{- with .Values.ingress.aliases }}
  FLEDGE_ALIAS_HOST: {{ join " " . | quote }}
  {{- end }}
  {{- if eq .Values.ingress.tls "outside" }}
  FLEDGE_TLS_OUTSIDE: "true"
  {{- end }}
  FLEDGE_HSTS_SUBDOMAINS: {{ .Values.site.hstsSubdomains | quote }}
  FLEDGE_PRODUCT_NAME: {{ .Values.site.name | quote }}
  {{- range $of, $email := .Values.site.emails }}
  FLEDGE_{{ upper $of }}_EMAIL: {{ $email | quote }}
  {{- end }}
  FLEDGE_PEERS: {{ include "fledge.fullname" . }}-web-peers:8080
  FLEDGE_GATEWAY: {{ include "fledge.fullname" . }}-gateway:8080
  FLEDGE_CONFIG_DIR: /etc/fledge/site
  {{- with .Values.site.settings.analytics }}
  {{- if .posthogKey }}
  FLEDGE_POSTHOG_HOST: {{ .posthogHost | quote }}
  {{- end }}
  {{- with .measurementId }}
  FLEDGE_MEASUREMENT_ID: {{ . | quote }}
  {{- end }}
  {{- end }}
  {{- with .Values.trustedProxies }}
  FLEDGE_TRUSTED_PROXIES: {{ join " " . | quote }}
  {{- end }}
probes:
  startup: {path: /config.json, port: http}
  readiness: {path: /, port: http}
  liveness: {path: /config.json, port: http}
volumes:
  - name: site
    path: /srv/site
    writable: true
    source: {emptyDir: {sizeLimit: 64Mi}}
  - name: settings
    path: /etc/fledge/site
    source: {configMap: {name: {{ include "fledge.fullname" . }}-web}}
{{- end }}

{{- define "fledge.shape.kratos" -}}
{{- if .Values.metrics.enabled }}
ports: {public: 4433, admin: 4434, ops: 9090}
guarded: true
{{- else }}
ports: {public: 4433, admin: 4434}
{{- end }}
sleep: true
args: [serve, -c, /config/kratos.yml]
configured: true
env: {HOME: /tmp}
probes:
  startup: {path: /health/alive, port: public}
  readiness: {path: /admin/health/ready, port: admin}
  liveness: {path: /admin/health/alive, port: admin}
{{- end }}
