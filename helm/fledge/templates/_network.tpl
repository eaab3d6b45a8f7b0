{{/*
Allowed connections: "from to port", one per line. Everything else is denied, both
ways. Names that begin with @ are outside the release.
*/}}
{{- define "fledge.pairs" -}}
{{- $local := .Values.local -}}
{{- $postgres := ternary "postgres" "@postgres" $local.postgres.enabled -}}
{{- $nats := ternary "nats" "@nats" $local.nats.enabled -}}
{{- $ports := .Values.networkPolicy.ports -}}
{{- $postgresPorts := ternary (list 5432) $ports.postgres $local.postgres.enabled -}}
{{- $natsPorts := list -}}
{{- range $local.nats.enabled | ternary list $ports.nats }}{{ $natsPorts = append $natsPorts (toString .) }}{{ end -}}
{{- range $local.nats.enabled | ternary (list "nats") (splitList "," .Values.nats.url) }}{{ $natsPorts = append $natsPorts (include "fledge.port" (list . 4222)) }}{{ end -}}
{{- $natsPorts = uniq $natsPorts -}}
{{- $https := list -}}
{{- range $ports.https }}{{ $https = append $https (printf "@https %v" .) }}{{ end -}}
{{- with .Values.proxy.url }}
{{- $proxy := printf "@proxy %s" (include "fledge.port" (list . (hasPrefix "https:" . | ternary 443 80))) }}
{{- /* The hosts of noProxy are called as without one. */}}
{{- $https = empty $.Values.proxy.noProxy | ternary (list $proxy) (append $https $proxy) }}
{{- end -}}
{{- $called := dict
  "kratos" (list "kratos 4433")
  "providers" (ternary (list "standins 8081") $https $local.standins.enabled)
  "mail" (list (ternary "standins 2525" (printf "@smtp %s" (include "fledge.port" (list .Values.mail.smtpAddr 25))) $local.standins.enabled))
  "stripe" (ternary (list "standins 8084") $https $local.standins.enabled)
  "github" (ternary (list "standins 8083") $https $local.standins.enabled) -}}
@ingress web 8080
{{- if ne .Values.ingress.type "none" }}
@ingress gateway 8080
{{- end }}
{{- /* Behind an ingress, too: Caddy takes /API/x and /%61pi/x for the API, which an ingress does not. */}}
web gateway 8080
web web 8080
{{- range $name, $service := .Values.services }}
{{- range include "fledge.calls" (list $ $name) | fromYamlArray }}
{{- range index $called . | default (list (printf "%s 9000" .)) }}
{{ $name }} {{ . }}
{{- end }}
{{- end }}
{{- if $service.database }}
{{- range $postgresPorts }}
{{ $name }} {{ $postgres }} {{ . }}
{{- end }}
{{- range $natsPorts }}
{{ $name }} {{ $nats }} {{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.mail.reports.sesTopics }}
{{- range $https }}
gateway {{ . }}
{{- end }}
{{- end }}
{{- if .Values.support.webhook }}
{{- range $https }}
support {{ . }}
{{- end }}
{{- end }}
{{- with .Values.mail.in.imapAddr }}
support @imap {{ include "fledge.port" (list . 993) }}
{{- end }}
identity kratos 4434
kratos identity 8090
{{- /* With the Jobs turned off, too: an upgrade that turns them on runs them under this release's policies. */}}
{{- range $component := list "kratos" "kratos-cleanup" "migrate" }}
{{- range $postgresPorts }}
{{ $component }} {{ $postgres }} {{ . }}
{{- end }}
{{- end }}
{{- if $local.standins.enabled }}
kratos standins 8081
standins gateway 8080
@ingress standins 8081
@ingress standins 8082
@ingress standins 8083
@ingress standins 8084
{{- else }}
{{- range $https }}
kratos {{ . }}
{{- end }}
{{- end }}
{{- if and $local.nats.enabled (gt (int $local.nats.replicas) 1) }}
nats nats 6222
{{- end }}
{{- if .Values.metrics.enabled }}
{{- range $name, $_ := .Values.services }}
@monitoring {{ $name }} 9090
{{- end }}
{{- end }}
{{- with .Values.otlp.endpoint }}
{{- /* Without one, gRPC takes that of https. */}}
{{- $port := include "fledge.port" (list . 443) }}
{{- range $name, $_ := $.Values.services }}
{{- if (include "fledge.shape" (list $ $name) | fromYaml).go }}
{{ $name }} @otlp {{ $port }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The port of an address or URL, as a program takes it: (list address default). */}}
{{- define "fledge.port" -}}
{{- regexReplaceAll "^[a-z]+://" (index . 0) "" | regexFind ":[0-9]+$" | trimPrefix ":" | default (index . 1) -}}
{{- end }}

{{/* Peers of a name: (list root name) as {peers: [...]}. */}}
{{- define "fledge.peers" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}
{{- if hasPrefix "@" $name -}}
peers:
  {{- toYaml (index $root.Values.networkPolicy.peers (trimPrefix "@" $name)) | nindent 2 }}
{{- else -}}
peers:
  - podSelector:
      matchLabels:
        {{- include "fledge.selector" (list $root $name) | nindent 8 }}
{{- end -}}
{{- end }}

{{/* The families of a Service's addresses; the cluster's own, if the values say nothing. */}}
{{- define "fledge.ipFamilies" -}}
{{- with .Values.service.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.service.ipFamilies }}
ipFamilies: {{ toJson . }}
{{- end }}
{{- end }}
