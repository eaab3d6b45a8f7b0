{{/* Annotations that roll a workload when something changes that it reads only at start. */}}
{{- define "fledge.checksums" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}
{{- if $root.Values.local.secrets }}
checksum/secrets: {{ include "fledge.localSecrets" $root | sha256sum | trunc 16 | quote }}
{{- end }}
{{- with include "fledge.mailTemplates" . }}
checksum/mail-templates: {{ . | sha256sum | trunc 16 | quote }}
{{- end }}
{{- end }}
