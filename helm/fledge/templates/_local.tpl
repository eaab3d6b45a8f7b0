{{/* The stand-ins' pages: the first label of the host, and the port. */}}
{{- define "fledge.standinPages" -}}
accounts: 8081
mail: 8082
github: 8083
stripe: 8084
{{- end }}

{{/* A secret of a local installation, derived so that every rendering gives the same: (list root purpose length). */}}
{{- define "fledge.derived" -}}
{{- $root := index . 0 -}}
{{- printf "%s/%s/%s/%s" $root.Values.local.seed $root.Release.Namespace $root.Release.Name (index . 1) | sha256sum | trunc (index . 2) -}}
{{- end }}

{{- define "fledge.databaseURL" -}}
postgres://fledge_{{ index . 1 }}:{{ include "fledge.derived" (list (index . 0) (printf "postgres-%s" (index . 1)) 48) }}@{{ include "fledge.fullname" (index . 0) }}-postgres:5432/fledge_{{ index . 1 }}?{{ if include "fledge.tls" (index . 0) }}sslmode=verify-full&sslrootcert=/run/postgres-ca/ca.crt{{ else }}sslmode=disable{{ end }}
{{- end }}

{{/* All secrets of a local installation, by name of the Secret and key. */}}
{{- define "fledge.localSecrets" -}}
shared:
  INTERNAL_TOKEN: {{ include "fledge.derived" (list . "internal-token" 48) }}
  HOOK_KEY: {{ include "fledge.derived" (list . "hook-key" 48) }}
{{- range $name, $service := .Values.services }}
{{- with $service.secretKeys }}
{{ $name }}:
  {{- range . }}
  {{ . }}: {{ include "fledge.localSecret" (list $ $name .) }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* One of them: (list root service key). */}}
{{- define "fledge.localSecret" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}{{- $key := index . 2 -}}
{{- $agreed := dict "STRIPE_SECRET_KEY" "sk_test_fledgeLocalNotASecret" "STRIPE_WEBHOOK_SECRETS" "whsec_fledgeLocalNotASecret" "GITHUB_TOKEN" "fledge-local-github-not-a-secret" -}}
{{- if hasSuffix "DATABASE_URL" $key }}{{ include "fledge.databaseURL" (list $root $name) }}
{{- /* nats-server parses values from its environment; a password must not look like a number. */}}
{{- else if eq $key "NATS_PASSWORD" }}n{{ include "fledge.derived" (list $root (printf "nats-%s" $name) 48) }}
{{- else if eq $key "KEY_ENCRYPTION_KEY" }}{{ include "fledge.derived" (list $root "key-encryption-key" 32) | b64enc }}
{{- else if eq $key "KRATOS_COOKIE_SECRETS" }}{{ include "fledge.derived" (list $root "kratos-cookie" 32) }}
{{- else if eq $key "KRATOS_CIPHER_SECRETS" }}{{ include "fledge.derived" (list $root "kratos-cipher" 32) }}
{{- else }}{{ get $agreed $key | default (include "fledge.derived" (list $root (printf "%s-%s" $name $key) 48)) }}
{{- end -}}
{{- end }}

{{/* A role and a database for every owner, closed to all others. */}}
{{- define "fledge.localRoles" -}}
REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC;
{{- range $name, $service := .Values.services }}
{{- if or $service.database (eq $name "kratos") }}
CREATE ROLE fledge_{{ $name }} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD '{{ include "fledge.derived" (list $ (printf "postgres-%s" $name) 48) }}';
CREATE DATABASE fledge_{{ $name }} OWNER fledge_{{ $name }};
REVOKE ALL ON DATABASE fledge_{{ $name }} FROM PUBLIC;
{{- end }}
{{- end }}
{{ end }}

{{/* JetStream on disk; permissions are in files/nats-users.conf. */}}
{{- define "fledge.natsConfig" -}}
{{- $full := include "fledge.fullname" . -}}
{{- $any := ternary "[::]" "0.0.0.0" (eq (first (.Values.service.ipFamilies | default list) | default "") "IPv6") -}}
server_name: $POD_NAME
listen: "{{ $any }}:4222"
http: "{{ $any }}:8222"
pid_file: "/tmp/nats.pid"
max_payload: 256KB
jetstream {
  store_dir: "/data"
  max_memory_store: 16MB
  # Acknowledged means on disk: the default syncs every two minutes.
  sync_interval: always
}
{{- include "fledge.natsTLS" . }}
{{- if gt (int .Values.local.nats.replicas) 1 }}
lame_duck_grace_period: 5s
lame_duck_duration: 30s
cluster {
  name: "{{ $full }}"
  listen: "{{ $any }}:6222"
  {{- include "fledge.natsTLS" . | indent 2 }}
  authorization { user: "cluster", password: "{{ include "fledge.derived" (list . "nats-cluster" 48) }}" }
  routes: [
    {{- range until (int .Values.local.nats.replicas) }}
    "nats://cluster:{{ include "fledge.derived" (list $ "nats-cluster" 48) }}@{{ $full }}-nats-{{ . }}.{{ $full }}-nats:6222"
    {{- end }}
  ]
}
{{- end }}
include "users.conf"
{{ end }}

{{/* Both ends present a certificate. */}}
{{- define "fledge.natsTLS" -}}
{{- if include "fledge.tls" . }}
tls {
  cert_file: "/run/tls/tls.crt"
  key_file: "/run/tls/tls.key"
  ca_file: "/run/tls/ca.crt"
  verify: true
  min_version: "1.3"
}
{{- end }}
{{- end }}
