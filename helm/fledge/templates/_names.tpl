{{/*
The release's name in the names of all objects. A CronJob's may have 52 characters, and the
longest suffix has 15 ("-kratos-cleanup").
*/}}
{{- define "fledge.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride }}
{{- else if contains $name .Release.Name }}{{ .Release.Name | trunc 37 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name $name | trunc 37 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{/* Labels of a component that never change: (list root component). */}}
{{- define "fledge.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Labels of an object: (list root component further?). Of two with the same name the further one counts, then the common one. */}}
{{- define "fledge.labels" -}}
{{- $root := index . 0 -}}
{{- $version := include "fledge.labelValue" $root.Chart.AppVersion -}}
{{- $chart := include "fledge.labelValue" (printf "%s-%s" $root.Chart.Name $root.Chart.Version) -}}
{{- $own := dict "app.kubernetes.io/version" $version "app.kubernetes.io/managed-by" $root.Release.Service "helm.sh/chart" $chart -}}
{{- toYaml (merge $own (include "fledge.podLabels" . | fromYaml)) -}}
{{- end }}

{{/* The same of a pod, without versions: a pod restarts when what runs in it changes, not with each revision of the chart. */}}
{{- define "fledge.podLabels" -}}
{{- $root := index . 0 -}}
{{- /* The product's name, by which alerts go, also where a chart that depends on this one has given it an alias. */ -}}
{{- $own := merge (include "fledge.selector" . | fromYaml) (dict "app.kubernetes.io/part-of" "fledge") -}}
{{- $given := mergeOverwrite dict (default dict $root.Values.commonLabels) -}}
{{- range rest (rest .) }}{{ $given = mergeOverwrite $given (default dict .) }}{{ end -}}
{{- toYaml (merge $own $given) -}}
{{- end }}

{{/* A version as a label may have it. */}}
{{- define "fledge.labelValue" -}}
{{- regexReplaceAll "[^0-9A-Za-z]+$" (replace "+" "_" . | trunc 63) "" -}}
{{- end }}

{{/* metadata of an object of a component: (list root component suffix?). */}}
{{- define "fledge.metadata" -}}
{{- $root := index . 0 -}}
name: {{ include "fledge.fullname" $root }}-{{ index . 1 }}{{ with (rest (rest .)) }}-{{ first . }}{{ end }}
namespace: {{ $root.Release.Namespace | quote }}
labels:
  {{- include "fledge.labels" (list $root (index . 1)) | nindent 2 }}
{{- end }}

{{/* The image of one of our programs: (list root part). */}}
{{- define "fledge.image" -}}
{{- $root := index . 0 -}}{{- $part := index . 1 -}}
{{- $own := ternary $root.Values.local.standins.image (dig $part "image" dict $root.Values.services) (eq $part "standins") -}}
{{- $registry := $root.Values.image.registry -}}
{{- with (default dict $root.Values.global).imageRegistry }}{{ $registry = regexReplaceAllLiteral "^[^/]+" $registry (trimSuffix "/" .) }}{{ end -}}
{{- $repository := default (printf "%s/%s" $registry $part) $own.repository -}}
{{- if $own.digest }}{{ $repository }}@{{ $own.digest }}
{{- else }}{{ $repository }}:{{ $own.tag | default $root.Values.image.tag | default ($root.Chart.AppVersion | replace "+" "_") }}{{ end -}}
{{- end }}

{{/* The account of a workload's pods: (list root name). */}}
{{- define "fledge.serviceAccount" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}
{{- dig "serviceAccount" "name" "" (index $root.Values.services $name) | default (printf "%s-%s" (include "fledge.fullname" $root) $name) -}}
{{- end }}

{{/* The Secret of a service: its own or, in a local installation, the chart's. */}}
{{- define "fledge.secret" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}
{{- if eq $name "shared" -}}
{{ $root.Values.secrets.shared.existingSecret | default (printf "%s-shared" (include "fledge.fullname" $root)) }}
{{- else -}}
{{ (index $root.Values.services $name).existingSecret | default (printf "%s-%s" (include "fledge.fullname" $root) $name) }}
{{- end -}}
{{- end }}

{{/* The parts of the site's scheme://host:port. */}}
{{- define "fledge.site" -}}
{{- $url := urlParse .Values.site.origin -}}
scheme: {{ $url.scheme }}
host: {{ $url.hostname | quote }}
port: {{ splitList ":" (trimPrefix $url.hostname $url.host) | last | quote }}
{{- end }}

{{/* The URL of a stand-in for browsers: (list root "accounts"). */}}
{{- define "fledge.standin" -}}
{{- $site := include "fledge.site" (index . 0) | fromYaml -}}
{{ $site.scheme }}://{{ index . 1 }}.{{ $site.host }}{{ with $site.port }}:{{ . }}{{ end }}
{{- end }}

{{/* Whether the site has a name that can only be local. */}}
{{- define "fledge.isLocal" -}}
{{- $host := (include "fledge.site" . | fromYaml).host -}}
{{- if or (eq $host "localhost") (eq $host "127.0.0.1") (eq $host "[::1]") (hasSuffix ".localhost" $host) (hasSuffix ".test" $host) }}true{{ end -}}
{{- end }}

{{/* A word of the values. YAML takes a bare `off` for false. */}}
{{- define "fledge.word" -}}
{{- eq (toString .) "false" | ternary "off" . -}}
{{- end }}

{{/* Whether the workloads use mutual TLS. */}}
{{- define "fledge.tls" -}}
{{- if ne (include "fledge.word" .Values.tls.mode) "off" }}true{{ end -}}
{{- end }}

{{/* The workloads that have a certificate. */}}
{{- define "fledge.certified" -}}
{{- range $name, $_ := .Values.services }}
{{- if (include "fledge.shape" (list $ $name) | fromYaml).go }}
- {{ $name }}
{{- end }}
{{- end }}
{{- if .Values.local.nats.enabled }}
- nats
{{- end }}
{{- if .Values.local.postgres.enabled }}
- postgres
{{- end }}
{{- end }}

{{/* The Secret of a workload's certificate: (list root component). */}}
{{- define "fledge.tlsSecret" -}}
{{ include "fledge.fullname" (index . 0) }}-{{ index . 1 }}-tls
{{- end }}

{{/* The Secret with the CA of NATS' certificate, if any. */}}
{{- define "fledge.natsAuthority" -}}
{{- if .Values.nats.tlsSecret }}{{ .Values.nats.tlsSecret }}
{{- else if and .Values.local.nats.enabled (include "fledge.tls" .) }}{{ include "fledge.tlsSecret" (list . "nats") }}{{ end -}}
{{- end }}

{{/* The same for PostgreSQL. */}}
{{- define "fledge.databaseAuthority" -}}
{{- if .Values.postgres.caSecret }}{{ .Values.postgres.caSecret }}
{{- else if and .Values.local.postgres.enabled (include "fledge.tls" .) }}{{ include "fledge.tlsSecret" (list . "postgres") }}{{ end -}}
{{- end }}

{{- define "fledge.natsURL" -}}
{{- if .Values.local.nats.enabled }}{{ ternary "tls" "nats" (eq (include "fledge.tls" .) "true") }}://{{ include "fledge.fullname" . }}-nats:4222{{ else }}{{ .Values.nats.url }}{{ end -}}
{{- end }}
