{{- define "codesearch.name" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "codesearch.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "codesearch.name" .) .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name (include "codesearch.name" .) | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- /* What never changes of a release: selectors cannot. */ -}}
{{- define "codesearch.selector" -}}
app.kubernetes.io/name: {{ include "codesearch.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "codesearch.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "codesearch.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "codesearch.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "codesearch.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end }}

{{- define "codesearch.publicHost" -}}
{{- with .Values.publicUrl }}{{ (urlParse .).hostname }}{{ end }}
{{- end }}

{{- /* The keys of existingSecret that are mounted, as YAML. */ -}}
{{- define "codesearch.secretKeys" -}}
{{- $keys := list "SECRET_KEY" "DATABASE_URL" "CELERY_BROKER_URL" }}
{{- if eq .Values.codesearch.embedder.provider "openai" }}{{ $keys = append $keys "OPENAI_API_KEY" }}{{ end }}
{{- if and (eq .Values.codesearch.store.backend "qdrant") .Values.codesearch.store.qdrant.apiKey }}{{ $keys = append $keys "QDRANT_API_KEY" }}{{ end }}
{{- if .Values.metrics.enabled }}{{ $keys = append $keys "AETERNA_METRICS_TOKEN" }}{{ end }}
{{- concat $keys .Values.existingSecret.extraKeys | uniq | toYaml }}
{{- end }}

{{- /* Every setting of the service that is no secret, as YAML: name to text. */ -}}
{{- define "codesearch.settings" -}}
{{- $embedder := .Values.codesearch.embedder }}
{{- $store := .Values.codesearch.store }}
{{- $settings := dict
  "AETERNA_PUBLIC_URL" .Values.publicUrl
  "AETERNA_SSL_REDIRECT" (toString .Values.sslRedirect)
  "AETERNA_TRUSTED_PROXIES" (join "," .Values.trustedProxies)
  "AETERNA_LOG_LEVEL" .Values.logLevel
  "CODESEARCH_EMBEDDER_PROVIDER" $embedder.provider
  "CODESEARCH_EMBEDDER_MODEL" $embedder.model
  "CODESEARCH_EMBEDDER_DIMENSIONS" (toString $embedder.dimensions)
  "CODESEARCH_STORE_BACKEND" $store.backend
}}
{{- if eq $embedder.provider "ollama" }}{{ $_ := set $settings "OLLAMA_URL" $embedder.ollamaUrl }}{{ end }}
{{- if eq $embedder.provider "openai" }}{{ $_ := set $settings "OPENAI_BASE_URL" $embedder.openaiBaseUrl }}{{ end }}
{{- if eq $store.backend "qdrant" }}{{ $_ := set $settings "QDRANT_URL" $store.qdrant.url }}{{ end }}
{{- with .Values.backfill }}{{ if .enabled }}
{{- $_ := set $settings "AETERNA_BACKFILL_AT_ONCE" (toString .atOnce) }}
{{- $_ := set $settings "AETERNA_GIT_HOSTS" (join "," .gitHosts) }}
{{- $_ := set $settings "AETERNA_GIT_NETWORKS" (join "," .gitNetworks) }}
{{- /* Inside the cluster it is HTTP, unless the service redirects: then publicUrl is used. */ -}}
{{- if not $.Values.sslRedirect }}{{ $_ := set $settings "AETERNA_BACKFILL_URL" (printf "http://%s:%v" (include "codesearch.fullname" $) $.Values.service.port) }}{{ end }}
{{- end }}{{ end }}
{{- range include "codesearch.secretKeys" . | fromYamlArray }}
{{- $_ := set $settings (printf "%s_FILE" .) (printf "/run/secrets/codesearch/%s" .) }}
{{- end }}
{{- range $name, $value := .Values.settings }}{{ $_ := set $settings $name (toString $value) }}{{ end }}
{{- range $name, $value := $settings }}
{{- if $value }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "codesearch.image" -}}
{{ include "codesearch.imageOf" (list . .Values.image.repository) }}
{{- end }}

{{- define "codesearch.backfillImage" -}}
{{ include "codesearch.imageOf" (list . (.Values.image.backfillRepository | default (printf "%s-backfill" .Values.image.repository))) }}
{{- end }}

{{- /* Called with a list of root and repository. */ -}}
{{- define "codesearch.imageOf" -}}
{{- $image := (index . 0).Values.image -}}
image: {{ printf "%s:%s" (index . 1) ($image.tag | default (index . 0).Chart.AppVersion) | quote }}
imagePullPolicy: {{ $image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- /* The probes of a worker or of beat. */ -}}
{{- define "codesearch.goingRound" -}}
startupProbe:
  exec: {command: [entrypoint.sh, health, {{ . }}]}
  periodSeconds: 5
  timeoutSeconds: 10
  failureThreshold: 36
livenessProbe:
  exec: {command: [entrypoint.sh, health, {{ . }}]}
  periodSeconds: 30
  timeoutSeconds: 10
  failureThreshold: 4
{{- end }}

{{- define "codesearch.mounts" -}}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
  - {name: secrets, mountPath: /run/secrets/codesearch, readOnly: true}
{{- end }}

{{- define "codesearch.configuration" -}}
envFrom:
  - configMapRef: {name: {{ include "codesearch.fullname" . }}}
{{- end }}

{{- define "codesearch.volumes" -}}
volumes:
  - {name: tmp, emptyDir: {}}
  - name: secrets
    secret:
      secretName: {{ required "existingSecret.name: the Secret with SECRET_KEY, DATABASE_URL and CELERY_BROKER_URL" .Values.existingSecret.name }}
      defaultMode: 0440
      items:
        {{- range include "codesearch.secretKeys" . | fromYamlArray }}
        - {key: {{ . }}, path: {{ . }}}
        {{- end }}
{{- end }}

{{- /* What the pods of every component have in common; called with a list of root and component. */ -}}
{{- define "codesearch.pod" -}}
{{- $root := index . 0 }}
{{- $component := index . 1 -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "codesearch.selector" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $component }}
{{- end }}

{{- define "codesearch.podMetadata" -}}
{{- $root := index . 0 }}
{{- $component := index . 1 -}}
annotations:
  checksum/settings: {{ include "codesearch.settings" $root | sha256sum }}
  {{- with $root.Values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
labels:
  {{- include "codesearch.labels" $root | nindent 2 }}
  app.kubernetes.io/component: {{ $component }}
{{- end }}
