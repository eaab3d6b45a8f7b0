{{/* What a schema cannot check: settings that contradict each other. Each message says what to do. */}}
{{- define "fledge.refusals" -}}
{{- $isLocal := include "fledge.isLocal" . -}}
{{- $local := .Values.local -}}
{{- if not .Values.site.origin }}
{{- fail "site.origin is missing: the address people type, such as https://fledge.example" }}
{{- end }}
{{- if not (regexMatch "^[a-z]([a-z0-9-]*[a-z0-9])?$" (include "fledge.fullname" .)) }}
{{- fail (printf "the release %s has objects %s-…, but names of Services begin with a letter and have no dots: set fullnameOverride, or name the release otherwise" .Release.Name (include "fledge.fullname" .)) }}
{{- end }}
{{- range .Values.ingress.aliases }}
{{- if hasPrefix "*" . }}
{{- fail (printf "ingress.aliases: %s is a wildcard, but the site answers only hosts that it knows by their whole names; name each of them" .) }}
{{- end }}
{{- if eq . (urlParse $.Values.site.origin).hostname }}
{{- fail (printf "ingress.aliases: %s is the host of site.origin, whose pages would lead to themselves; leave it out" .) }}
{{- end }}
{{- end }}
{{- if eq .Values.image.tag "latest" }}
{{- fail "image.tag: latest is no version; leave it empty for the chart's own, or name one" }}
{{- end }}
{{- range $name, $service := .Values.services }}
{{- range $key, $_ := $service.env }}
{{- if regexMatch "(PASSWORD|SECRETS?|TOKEN|_KEYS?|DATABASE_URL|WEBHOOK_URL)$" $key }}
{{- if ne $key "STRIPE_PUBLISHABLE_KEY" }}
{{- fail (printf "services.%s.env.%s: a secret must not be a plain value; put it into the Secret %s and its name into services.%s.secretKeys" $name $key (include "fledge.secret" (list $ $name)) $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- $needed := default false $service.database | ternary (list "DATABASE_URL") list }}
{{- if eq $name "identity" }}{{ $needed = append $needed "KEY_ENCRYPTION_KEY" }}{{ end }}
{{- if eq $name "kratos" }}{{ $needed = list "KRATOS_DATABASE_URL" "KRATOS_COOKIE_SECRETS" "KRATOS_CIPHER_SECRETS" }}{{ end }}
{{- if and (eq $name "kratos") (not $local.standins.enabled) }}{{ $needed = concat $needed (list "GOOGLE_CLIENT_SECRET" "APPLE_PRIVATE_KEY") }}{{ end }}
{{- range $needed }}
{{- if not (or $service.extraEnvFrom (include "fledge.given" (list $ $name .))) }}
{{- fail (printf "services.%s.secretKeys lacks %s: a list replaces the chart's, so name its keys beside your own" $name .) }}
{{- end }}
{{- end }}
{{- if and (has "stripe" (default list $service.calls)) $.Values.billing.stripe.publishableKey }}
{{- range list "STRIPE_SECRET_KEY" "STRIPE_WEBHOOK_SECRETS" }}
{{- if not (or $service.extraEnvFrom (include "fledge.given" (list $ $name .))) }}
{{- fail (printf "services.%s.secretKeys lacks %s, which billing.stripe.publishableKey needs: list it beside the others" $name .) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and (has "mail" (default list $service.calls)) (not $local.standins.enabled) (not $service.extraEnvFrom) }}
{{- $mail := mergeOverwrite (dict "SMTP_USER" (default "" $.Values.mail.user) "SMTP_TLS" $.Values.mail.tls) (default dict $service.env) }}
{{- range $service.extraEnv }}{{ $_ := set $mail .name (hasKey . "valueFrom" | ternary "given" (default "" .value)) }}{{ end }}
{{- $password := include "fledge.given" (list $ $name "SMTP_PASSWORD") }}
{{- if and $mail.SMTP_USER (not $password) }}
{{- fail (printf "services.%s.secretKeys lacks SMTP_PASSWORD, which mail.user needs: list it beside the others, or make mail.user empty where the server asks for no password" $name) }}
{{- end }}
{{- if and $password (not $mail.SMTP_USER) }}
{{- fail (printf "mail.user is missing, but services.%s has SMTP_PASSWORD: name the user, or take the password away from all secretKeys" $name) }}
{{- end }}
{{- if and $password (eq $mail.SMTP_TLS "none") }}
{{- fail (printf "mail.tls is none, but services.%s has SMTP_PASSWORD, which must not travel so: use starttls or tls, or make mail.user empty and take the password away from all secretKeys" $name) }}
{{- end }}
{{- end }}
{{- if and $service.autoscaling.enabled (lt (int $service.autoscaling.maxReplicas) (int $service.replicas)) }}
{{- fail (printf "services.%s.autoscaling.maxReplicas is less than services.%s.replicas, from which it starts" $name $name) }}
{{- end }}
{{- end }}
{{- if not $local.standins.enabled }}
{{- range list "GOOGLE_CLIENT_SECRET" "APPLE_PRIVATE_KEY" }}
{{- if not (or (has . $.Values.services.kratos.secretKeys) $.Values.services.identity.extraEnvFrom (include "fledge.given" (list $ "identity" .))) }}
{{- fail (printf "services.identity lacks %s, which services.kratos takes from elsewhere than its Secret: give it the same extraEnv" .) }}
{{- end }}
{{- end }}
{{- end }}
{{- $labels := dict "commonLabels" .Values.commonLabels "jobs.podLabels" .Values.jobs.podLabels "metrics.labels" .Values.metrics.labels "metrics.dashboardLabels" .Values.metrics.dashboardLabels }}
{{- range $name, $service := .Values.services }}{{ $_ := set $labels (printf "services.%s.podLabels" $name) $service.podLabels }}{{ end }}
{{- range $of, $_ := $labels }}
{{- range $label, $_ := . }}
{{- if regexMatch "^(app[.]kubernetes[.]io/(name|instance|component|version|part-of|managed-by)|helm[.]sh/chart)$" $label }}
{{- fail (printf "%s: %s is a label of the chart's own, by which selectors and alerts go; choose another name" $of $label) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $local.standins.enabled (not $isLocal) }}
{{- fail (printf "local.standins.enabled: the stand-ins sign anybody in, so site.origin must be localhost or end in .localhost or .test, not %s" .Values.site.origin) }}
{{- end }}
{{- if and $local.secrets (not $isLocal) }}
{{- fail (printf "local.secrets: secrets that anybody can compute are for localhost, *.localhost and *.test only, not for %s; make Secrets of your own and name them in services.<name>.existingSecret" .Values.site.origin) }}
{{- end }}
{{- if and (or $local.postgres.enabled $local.nats.enabled $local.standins.enabled) (not $local.secrets) }}
{{- fail "local.postgres, local.nats and local.standins take their passwords from local.secrets: turn it on, or turn these off" }}
{{- end }}
{{- if and $isLocal (not $local.standins.enabled) }}
{{- fail (printf "site.origin %s: Google and Apple only redirect to a public https site; use values-local.yaml, which has stand-ins" .Values.site.origin) }}
{{- end }}
{{- if and (not $isLocal) (not (hasPrefix "https://" .Values.site.origin)) }}
{{- fail (printf "site.origin %s: a public site is https, its cookies are Secure" .Values.site.origin) }}
{{- end }}
{{- if and (hasPrefix "http://" .Values.site.origin) (not (has (include "fledge.site" . | fromYaml).host (list "localhost" "127.0.0.1"))) }}
{{- fail (printf "site.origin %s: plain http is for localhost only; under any other name Kratos starts with https alone" .Values.site.origin) }}
{{- end }}
{{- range $of := list "support" "sales" "privacy" }}
{{- if not (index $.Values.site.emails $of) }}
{{- fail (printf "site.emails.%s is missing: the address that the site gives for %s" $of $of) }}
{{- end }}
{{- end }}
{{- if not .Values.mail.from }}
{{- fail "mail.from is missing: the sender of all emails" }}
{{- end }}
{{- if not .Values.mail.replyTo }}
{{- fail "mail.replyTo is missing: the address for answers to emails" }}
{{- end }}
{{- if and (not $local.standins.enabled) (not .Values.mail.smtpAddr) }}
{{- fail "mail.smtpAddr is missing: the mail server, such as smtp.example:587" }}
{{- end }}
{{- if not $local.standins.enabled }}
{{- if not .Values.signIn.google.clientId }}
{{- fail "signIn.google.clientId is missing: the client by which people sign in with Google, see deploy/docs/sign-in-providers.md" }}
{{- end }}
{{- range $of := list "clientId" "teamId" "keyId" }}
{{- if not (index $.Values.signIn.apple $of) }}
{{- fail (printf "signIn.apple.%s is missing: people also sign in with Apple, see deploy/docs/sign-in-providers.md" $of) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $of := list "owner" "repo" }}
{{- if not (index $.Values.github $of) }}
{{- fail (printf "github.%s is missing: the account and the repository with the Mac app's releases" $of) }}
{{- end }}
{{- end }}
{{- $addresses := dict "mail.from" .Values.mail.from "mail.replyTo" .Values.mail.replyTo "mail.envelopeFrom" .Values.mail.envelopeFrom "mail.supportTeam" .Values.mail.supportTeam "mail.in.replyAddress" .Values.mail.in.replyAddress }}
{{- range $of, $email := .Values.site.emails }}{{ $_ := set $addresses (printf "site.emails.%s" $of) $email }}{{ end }}
{{- range $of, $email := $addresses }}
{{- if and (not $isLocal) (regexMatch "(?i)[.@](example([.](com|net|org))?|test|invalid|localhost)>?$" (default "" $email)) }}
{{- fail (printf "%s %s: nothing arrives there; name an address of yours" $of $email) }}
{{- end }}
{{- end }}
{{- if .Values.mail.in.imapAddr }}
{{- range $of := list "user" "replyAddress" }}
{{- if not (index $.Values.mail.in $of) }}
{{- fail (printf "mail.in.%s is missing: mail.in.imapAddr has support read a mailbox" $of) }}
{{- end }}
{{- end }}
{{- range $key := list "IMAP_PASSWORD" "MAIL_IN_REPLY_KEYS" }}
{{- if not (or $.Values.services.support.extraEnvFrom (include "fledge.given" (list $ "support" $key))) }}
{{- fail (printf "services.support.secretKeys lacks %s, which mail.in.imapAddr needs: list it beside the others, and put it into the Secret %s" $key (include "fledge.secret" (list $ "support"))) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and (not .Values.support.webhook) (include "fledge.given" (list $ "support" "TICKET_WEBHOOK_URL")) }}
{{- fail "support.webhook is empty, but services.support has TICKET_WEBHOOK_URL: name the format, json or slack, or nothing lets support reach the webhook; or take it away" }}
{{- end }}
{{- with .Values.support.webhook }}
{{- range $key := eq . "json" | ternary (list "TICKET_WEBHOOK_URL" "TICKET_WEBHOOK_SECRET") (list "TICKET_WEBHOOK_URL") }}
{{- if not (or $.Values.services.support.extraEnvFrom (include "fledge.given" (list $ "support" $key))) }}
{{- fail (printf "services.support.secretKeys lacks %s, which support.webhook needs: list it beside the others, and put it into the Secret %s" $key (include "fledge.secret" (list $ "support"))) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and (not $local.nats.enabled) (not .Values.nats.url) }}
{{- fail "nats.url is missing: tls://nats.example:4222, or local.nats.enabled for a trial" }}
{{- end }}
{{- if and .Values.nats.clientCertificates (not (and (include "fledge.tls" .) .Values.nats.tlsSecret)) }}
{{- fail "nats.clientCertificates needs certificates (tls.mode) and the servers' CA (nats.tlsSecret)" }}
{{- end }}
{{- if not .Values.trustedProxies }}
{{- fail "trustedProxies is empty: name the networks of your ingress controller's pods (of web's where ingress.type is none), such as [10.244.0.0/16], and of a CDN before it (deploy/docs/client-addresses.md), or all visitors share one address and its limits" }}
{{- end }}
{{- if ne .Values.ingress.type "none" }}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.peers.ingress) }}
{{- fail "networkPolicy.peers.ingress is empty: name your ingress controller, such as [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: traefik}}}], or nobody reaches the site" }}
{{- end }}
{{- end }}
{{- if and (eq .Values.ingress.type "httproute") (not .Values.ingress.parentRefs) }}
{{- fail "ingress.parentRefs is empty: an HTTPRoute needs its Gateway, such as [{name: public, namespace: gateways}]" }}
{{- end }}
{{- if and (eq .Values.ingress.type "ingress") (eq .Values.ingress.tls "secret") (hasPrefix "https://" .Values.site.origin) (not .Values.ingress.tlsSecret) }}
{{- fail "ingress.tlsSecret is missing: site.origin is https, so the Ingress needs the Secret of its certificate; where a load balancer in front of it ends TLS, set ingress.tls to outside" }}
{{- end }}
{{- if and .Values.caBundle.configMap .Values.caBundle.secret }}
{{- fail "caBundle names a ConfigMap and a Secret: name one of them" }}
{{- end }}
{{- if and .Values.proxy.url .Values.networkPolicy.enabled (not .Values.networkPolicy.peers.proxy) }}
{{- fail "networkPolicy.peers.proxy is empty: name the proxy, such as [{ipBlock: {cidr: 10.1.2.3/32}}], or nothing reaches Stripe, GitHub, Google, Apple and Amazon SNS" }}
{{- end }}
{{- if and (eq (include "fledge.word" .Values.tls.mode) "cert-manager") (not .Values.tls.issuerRef.name) }}
{{- fail "tls.issuerRef.name is missing: the cert-manager Issuer of the workloads' certificates" }}
{{- end }}
{{- if and .Values.metrics.enabled .Values.networkPolicy.enabled (not .Values.networkPolicy.peers.monitoring) }}
{{- fail "networkPolicy.peers.monitoring is empty: name Prometheus' pods, or it cannot scrape anything" }}
{{- end }}
{{- if and .Values.otlp.endpoint .Values.networkPolicy.enabled (not .Values.networkPolicy.peers.otlp) }}
{{- fail "networkPolicy.peers.otlp is empty: name the collector's pods, or no trace arrives" }}
{{- end }}
{{- end }}

{{/* Whether a workload is given a secret, as far as its names tell: (list root name key). */}}
{{- define "fledge.given" -}}
{{- $service := index (index . 0).Values.services (index . 1) -}}{{- $key := index . 2 -}}
{{- $names := concat (default list $service.secretKeys) (keys (default dict $service.env)) -}}
{{- range $service.extraEnv }}{{ $names = append $names .name }}{{ end -}}
{{- if or (has $key $names) (has (print $key "_FILE") $names) }}true{{ end -}}
{{- end }}
