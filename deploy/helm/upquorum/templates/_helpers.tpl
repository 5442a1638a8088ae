{{- define "upquorum.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "upquorum.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* The Deployments and what each does. */ -}}
{{- define "upquorum.roles" -}}
{{- if .Values.roles.separate -}}
gateway,front,worker
{{- else -}}
all
{{- end -}}
{{- end }}

{{- /* The Deployment that serves people, and the one that agents connect to. */ -}}
{{- define "upquorum.front" -}}
{{ .Release.Name }}-{{ ternary "front" "all" .Values.roles.separate }}
{{- end }}
{{- define "upquorum.gateway" -}}
{{ .Release.Name }}-{{ ternary "gateway" "all" .Values.roles.separate }}
{{- end }}

{{- /* What tells whether a pod of a role gets connections: its database, or that it runs. */ -}}
{{- define "upquorum.readiness" -}}
{{- $role := index . 0 -}}
{{- $settings := index . 1 -}}
{{- if or (eq $role "gateway") (and (eq $role "all") (not $settings.servePagesWithoutDatabase)) -}}
/readyz
{{- else -}}
/healthz
{{- end -}}
{{- end }}
