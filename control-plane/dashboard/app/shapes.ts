// What the dashboard reads of the API's answers; the full shapes are in /v0/openapi.json.

export type Vote = { region: string; vote: string; as_of: string | null };

export type Monitor = {
  id: string;
  name: string;
  url: string;
  method: string;
  interval_seconds: number;
  regions: string[];
  quorum: number;
  enabled: boolean;
  status: string;
  status_since: string;
  votes: Vote[];
};

export type Check = {
  id: string;
  region: string;
  status: string;
  scheduled_at: string;
  latency_ms: number | null;
  timings: Record<string, number | null> | null;
  status_code: number | null;
  error: { code: string; message: string } | null;
  failure_source: string | null;
  assertions: {
    index: number;
    type: string;
    passed: boolean | null;
    expected: string;
    actual: string | null;
    skipped?: string;
  }[];
  attempt: number;
  kind: string;
  remote_ip: string | null;
};

export type Bucket = {
  bucket: string;
  uptime: number;
  down_seconds: number;
  degraded_seconds: number;
  observed_seconds: number;
  checks: { ok: number; warn: number; err: number };
  latency_ms: { p50: number | null; p95: number | null };
};
export type Uptime = { data: Bucket[]; range: { from: string; to: string } };

export type Alert = {
  id: string;
  monitor_id: string;
  title: string;
  severity: string;
  state: string;
  regions_failing: string[];
  regions: string[];
  quorum: number;
  reason: {
    summary: string;
    region: string | null;
    expected: string | null;
    actual: string | null;
    status_code: number | null;
    error_code: string | null;
  };
  started_at: string;
  last_seen_at: string;
  acknowledged_at: string | null;
  escalated_at: string | null;
  resolved_at: string | null;
  incident_id: string | null;
};

export type Named = { id: string; name: string };

export type Promotion = {
  title: string;
  severity: string;
  impact: string;
  status_page_id: string | null;
  affected_components: string[];
  components: Named[];
  initial_update: { state: string; body: string };
  status_pages: Named[];
};

export type IncidentUpdate = { id: string; state: string; body: string; posted_at: string; edited_at: string | null };

export type Incident = {
  id: string;
  title: string;
  state: string;
  severity: string;
  impact: string;
  affected_components: string[];
  status_page_id: string;
  updates: IncidentUpdate[];
  started_at: string;
  resolved_at: string | null;
  postmortem_url: string | null;
  postmortem_body: string | null;
  alert_id: string | null;
  url: string;
};

export type Delivery = {
  id: string;
  channel: string;
  recipient: string | null;
  state: string;
  attempts: number;
  error: string | null;
  created_at: string;
  sent_at: string | null;
};

export type StatusPage = { id: string; name: string; slug: string; url: string; description: string };

export type Component = {
  id: string;
  status_page_id: string;
  name: string;
  description: string;
  group: string | null;
  position: number;
  status: string;
  shown_status: string;
  monitor_ids: string[];
};

export type Region = { code: string; name: string; agents_online: number };
