{{/* Pod Security "restricted" and more, of a container. */}}
{{- define "fledge.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/*
Resources of a container: those in the values, and disk space on the node for its log and
temporary files. A kubelet keeps 50 MB of log, and GKE's Autopilot takes the request for the limit. Beside a
limit of the values' own, less is requested, which fits below it.
*/}}
{{- define "fledge.resources" -}}
{{- $request := ternary "32Mi" "128Mi" (hasKey (default dict .limits) "ephemeral-storage") -}}
{{- $disk := dict "requests" (dict "ephemeral-storage" $request) "limits" (dict "ephemeral-storage" "256Mi") -}}
{{- toYaml (mergeOverwrite $disk (deepCopy .)) -}}
{{- end }}

{{/* The same for a job or an init container: (list root memory). */}}
{{- define "fledge.jobResources" -}}
{{- $own := dict "requests" (dict "cpu" "50m" "memory" "32Mi") "limits" (dict "memory" (index . 1)) -}}
{{- include "fledge.resources" (mergeOverwrite $own (deepCopy (index . 0).Values.jobs.resources)) -}}
{{- end }}

{{/* Pod Security of a pod: root. */}}
{{- define "fledge.podSecurityContext" -}}
{{- $own := dict "runAsNonRoot" true "fsGroupChangePolicy" "OnRootMismatch" "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- toYaml (merge $own (default dict .Values.podSecurityContext)) -}}
{{- end }}

{{/* metadata of the pods of a job: (list root component). */}}
{{- define "fledge.jobMetadata" -}}
{{- $jobs := (index . 0).Values.jobs -}}
labels:
  {{- include "fledge.podLabels" (append . $jobs.podLabels) | nindent 2 }}
{{- with $jobs.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
What every pod of the release has: (list root component). Where a workload names a place or names
of hosts of its own, also none, they count instead of the chart's.
*/}}
{{- define "fledge.pod" -}}
{{- $root := index . 0 -}}
{{- $own := index $root.Values.services (index . 1) | default dict -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $root.Values.image.pullSecrets | default (default dict $root.Values.global).imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - {{ kindIs "string" . | ternary (dict "name" .) . | toJson }}
  {{- end }}
{{- end }}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "dnsConfig" "hostAliases" }}
{{- with index (ternary $own $root.Values (hasKey $own $key)) $key }}
{{ $key }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- range $key := list "priorityClassName" "runtimeClassName" }}
{{- with index (ternary $own $root.Values (hasKey $own $key)) $key }}
{{ $key }}: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* env of literal settings: (list root name map), without those that are null. What the workload's extraEnv has counts instead. */}}
{{- define "fledge.env" -}}
{{- $env := index . 2 -}}
{{- range (index (index . 0).Values.services (index . 1)).extraEnv }}{{ $env = omit $env .name }}{{ end -}}
{{- range $key, $value := $env }}
{{- if not (kindIs "invalid" $value) }}
- {name: {{ $key }}, value: {{ $value | toString | quote }}}
{{- end }}
{{- end }}
{{- end }}

{{/*
Settings for calls that leave the cluster: (list root name). Programs take the proxy for Stripe,
GitHub, Google, Apple, Amazon SNS and the tickets' webhook; calls inside the cluster use none, and Kratos' own to identity is
an exception, also from a proxy that the cluster names in the environment of every pod.
*/}}
{{- define "fledge.outsideEnv" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}
{{- $calls := (index $root.Values.services $name).calls | default list -}}
{{- $outside := or (eq $name "kratos") (has "providers" $calls) (has "stripe" $calls) (has "github" $calls) (and (eq $name "gateway") $root.Values.mail.reports.sesTopics) (and (eq $name "support") $root.Values.support.webhook) -}}
{{- $proxied := and $root.Values.proxy.url $outside -}}
{{- if $proxied }}
HTTPS_PROXY: {{ $root.Values.proxy.url | quote }}
{{- end }}
{{- if or $proxied (eq $name "kratos") }}
NO_PROXY: {{ join "," (concat (list "localhost" "127.0.0.1" (printf "%s-identity-hooks" (include "fledge.fullname" $root)) (printf "%s-standins" (include "fledge.fullname" $root))) (default list $root.Values.proxy.noProxy)) | quote }}
{{- end }}
{{- end }}

{{/*
What every process of a workload has, in its pods and in its jobs: (list root name). The
authorities are for its database, too.
*/}}
{{- define "fledge.furtherEnv" -}}
{{- $extra := (index (index . 0).Values.services (index . 1)).extraEnv -}}
{{- $named := dict -}}
{{- range $extra }}{{ $_ := set $named .name true }}{{ end -}}
{{- if and (include "fledge.caBundle" (index . 0)) (not $named.SSL_CERT_DIR) }}
- {name: SSL_CERT_DIR, value: /run/ca-bundle}
{{- end }}
{{- with $extra }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "fledge.furtherEnvFrom" -}}
{{- with (index (index . 0).Values.services (index . 1)).extraEnvFrom -}}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "fledge.furtherMounts" -}}
{{- if include "fledge.caBundle" (index . 0) }}
- {name: ca-bundle, mountPath: /run/ca-bundle, readOnly: true}
{{- end }}
{{- with (index (index . 0).Values.services (index . 1)).extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "fledge.furtherVolumes" -}}
{{- include "fledge.caBundle" (index . 0) }}
{{- with (index (index . 0).Values.services (index . 1)).extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The volume of further certificate authorities, if any. */}}
{{- define "fledge.caBundle" -}}
{{- with .Values.caBundle }}
{{- if .configMap }}
- {name: ca-bundle, configMap: {name: {{ .configMap | quote }}, items: [{key: {{ .key | quote }}, path: ca.crt}]}}
{{- else if .secret }}
- {name: ca-bundle, secret: {secretName: {{ .secret | quote }}, items: [{key: {{ .key | quote }}, path: ca.crt}]}}
{{- end }}
{{- end }}
{{- end }}

{{/* env that names the files of secrets: a list of keys. */}}
{{- define "fledge.secretEnv" -}}
{{- range . }}
- {name: {{ . }}_FILE, value: /run/secrets/fledge/{{ . }}}
{{- end }}
{{- end }}

{{/* A volume of secret files: (list root own-service own-keys shared-keys kratos-keys). */}}
{{- define "fledge.secretVolume" -}}
{{- $root := index . 0 -}}
name: secrets
projected:
  defaultMode: 0440
  sources:
    {{- with index . 2 }}
    - secret:
        name: {{ include "fledge.secret" (list $root (index $ 1)) | quote }}
        items:
          {{- range . }}
          - {key: {{ . }}, path: {{ . }}}
          {{- end }}
    {{- end }}
    {{- with index . 3 }}
    - secret:
        name: {{ include "fledge.secret" (list $root "shared") | quote }}
        items:
          {{- range . }}
          - {key: {{ . }}, path: {{ . }}}
          {{- end }}
    {{- end }}
    {{- with index . 4 }}
    - secret:
        name: {{ include "fledge.secret" (list $root "kratos") | quote }}
        items:
          {{- range . }}
          - {key: {{ . }}, path: {{ . }}}
          {{- end }}
    {{- end }}
{{- end }}

{{/* The certificate of a workload and the common CA: (list root component). */}}
{{- define "fledge.tlsVolume" -}}
name: tls
secret: {secretName: {{ include "fledge.tlsSecret" . }}, defaultMode: 0440}
{{- end }}

{{/* The init container that writes Kratos' configuration: root. */}}
{{- define "fledge.kratosConfig" -}}
- name: config
  image: {{ include "fledge.image" (list . "identity") }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args: [kratos-config, /config]
  env:
    - {name: SITE_ORIGIN, value: {{ .Values.site.origin | quote }}}
    - {name: KRATOS_ADMIN_URL, value: "http://{{ include "fledge.fullname" . }}-kratos:4434"}
    - {name: KRATOS_HOOK_URL, value: "http://{{ include "fledge.fullname" . }}-identity-hooks:8090"}
    {{- include "fledge.env" (list . "kratos" (mergeOverwrite (include "fledge.call.providers" . | fromYaml) (default dict .Values.services.kratos.env))) | nindent 4 }}
    {{- include "fledge.secretEnv" (concat .Values.services.kratos.secretKeys (list "HOOK_KEY")) | nindent 4 }}
    {{- include "fledge.furtherEnv" (list . "kratos") | nindent 4 }}
  {{- include "fledge.furtherEnvFrom" (list . "kratos") | nindent 2 }}
  resources:
    {{- include "fledge.jobResources" (list . "64Mi") | nindent 4 }}
  securityContext:
    {{- include "fledge.securityContext" . | nindent 4 }}
  volumeMounts:
    - {name: config, mountPath: /config}
    - {name: secrets, mountPath: /run/secrets/fledge, readOnly: true}
    {{- include "fledge.databaseMount" . | nindent 4 }}
    {{- include "fledge.furtherMounts" (list . "kratos") | nindent 4 }}
{{- end }}

{{/*
The container that serves Kratos' metrics: they are on its admin port, and access to that
port allows deleting people.
*/}}
{{- define "fledge.kratosMetrics" -}}
- name: metrics
  image: {{ include "fledge.image" (list . "web") }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args: [run, --config, /etc/caddy/kratos-metrics.Caddyfile, --adapter, caddyfile]
  ports:
    - {name: ops, containerPort: 9090}
  env:
    - {name: FLEDGE_OPS_PORT, value: "9090"}
    - {name: FLEDGE_EXPORT, value: ""}
    - {name: GOMEMLIMIT, value: 48MiB}
  resources:
    {{- /* A quota may ask for a limit of CPU, of this container, too. */}}
    {{- $cpu := pick (dig "limits" dict .Values.services.kratos.resources) "cpu" }}
    {{- $own := dict "requests" (dict "cpu" "10m" "memory" "32Mi") "limits" (merge (dict "memory" "64Mi") $cpu) }}
    {{- include "fledge.resources" (mergeOverwrite $own (deepCopy .Values.jobs.resources)) | nindent 4 }}
  livenessProbe: {tcpSocket: {port: ops}, periodSeconds: 10, timeoutSeconds: 5}
  securityContext:
    {{- include "fledge.securityContext" . | nindent 4 }}
  volumeMounts:
    - {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "fledge.kratosVolumes" -}}
- {name: config, emptyDir: {medium: Memory, sizeLimit: 1Mi}}
- {name: tmp, emptyDir: {sizeLimit: 16Mi}}
- {{ include "fledge.secretVolume" (list . "kratos" .Values.services.kratos.secretKeys (list "HOOK_KEY") (list)) | nindent 2 | trim }}
{{- include "fledge.databaseVolume" . }}
{{- end }}

{{/* The CA of the database server, for sslrootcert=/run/postgres-ca/ca.crt. */}}
{{- define "fledge.databaseVolume" -}}
{{- with include "fledge.databaseAuthority" . }}
- {name: postgres-ca, secret: {secretName: {{ . | quote }}, items: [{key: ca.crt, path: ca.crt}]}}
{{- end }}
{{- end }}

{{- define "fledge.databaseMount" -}}
{{- if include "fledge.databaseAuthority" . }}
- {name: postgres-ca, mountPath: /run/postgres-ca, readOnly: true}
{{- end }}
{{- end }}

{{/* A Kratos command with the written configuration: (list root name args). */}}
{{- define "fledge.kratosCommand" -}}
{{- $root := index . 0 -}}
- name: {{ index . 1 }}
  image: {{ include "fledge.image" (list $root "kratos") }}
  imagePullPolicy: {{ $root.Values.image.pullPolicy }}
  args: {{ toJson (index . 2) }}
  env:
    - {name: HOME, value: /tmp}
    {{- include "fledge.furtherEnv" (list $root "kratos") | nindent 4 }}
  {{- include "fledge.furtherEnvFrom" (list $root "kratos") | nindent 2 }}
  resources:
    {{- include "fledge.jobResources" (list $root "256Mi") | nindent 4 }}
  securityContext:
    {{- include "fledge.securityContext" $root | nindent 4 }}
  volumeMounts:
    - {name: config, mountPath: /config}
    - {name: tmp, mountPath: /tmp}
    {{- include "fledge.databaseMount" $root | nindent 4 }}
    {{- include "fledge.furtherMounts" (list $root "kratos") | nindent 4 }}
{{- end }}
