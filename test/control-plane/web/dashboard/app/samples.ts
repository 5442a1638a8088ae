import type {
  Alert,
  AlertGroup,
  Backtest,
  Channel,
  CheckResult,
  Component,
  Incident,
  Maintenance,
  Monitor,
  Route,
  UptimeBucket,
} from '#control-plane/web/dashboard/app/session/api-types.ts';

// Answers of the API, complete and unremarkable; each test changes what it is about.

export const nowMs = Date.parse('2026-11-21T10:00:00Z');

export function sampleMonitor(changes: Partial<Monitor> = {}): Monitor {
  return {
    id: 'mon_1',
    project_id: 'prj_1',
    key: null,
    managed_by: null,
    kind: 'http',
    name: 'Shop',
    url: 'https://shop.example/health',
    method: 'GET',
    interval_seconds: 60,
    timeout_ms: 30_000,
    regions: ['eu', 'us', 'ap'],
    quorum: 2,
    assertions: [],
    headers: {},
    body: null,
    auth: null,
    egress: null,
    http_version: '1.1',
    follow_redirects: true,
    alert_policy: { severity: 'p2', slack_channel: null, escalate_after_minutes: null },
    alert_rules: {
      confirm_seconds: 0,
      recover_seconds: 0,
      flap: null,
      degraded: null,
      certificate: { enabled: true, thresholds: null, in_verdict: false },
      domain: null,
    },
    component_ids: [],
    labels: {},
    enabled: true,
    status: 'up',
    status_since: '2026-11-21T09:00:00.000Z',
    votes: [
      {
        region: 'eu',
        vote: 'up',
        since: '2026-11-21T09:00:00.000Z',
        as_of: '2026-11-21T09:59:50.000Z',
        reason: null,
        partial_addresses: null,
      },
    ],
    maintenance: null,
    unable_regions: [],
    config_version: 1,
    rules_version: 1,
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:00.000Z',
    ...changes,
  };
}

export function sampleAlert(changes: Partial<Alert> = {}): Alert {
  return {
    id: 'alr_1',
    project_id: 'prj_1',
    monitor_id: 'mon_1',
    kind: 'down',
    title: 'Shop is down',
    severity: 'p1',
    state: 'open',
    regions_failing: ['eu', 'us'],
    regions: ['eu', 'us', 'ap'],
    quorum: 2,
    reason: {
      summary: 'expected status eq 200, got 503',
      region: 'us',
      expected: 'status eq 200',
      actual: '503',
      status_code: 503,
      error_code: null,
      phase: null,
      step: null,
      host: null,
      diagnosis: null,
    },
    labels: {},
    started_at: '2026-11-21T09:50:00.000Z',
    opened_at: '2026-11-21T09:50:10.000Z',
    rules_version: 1,
    held: false,
    held_since: null,
    released_at: null,
    flapping_since: null,
    last_seen_at: '2026-11-21T09:59:00.000Z',
    acknowledged_at: null,
    acknowledged_by: null,
    escalated_at: null,
    resolved_at: null,
    superseded_by: null,
    group_id: null,
    incident_id: null,
    created_at: '2026-11-21T09:50:10.000Z',
    ...changes,
  };
}

export function sampleCheck(changes: Partial<CheckResult> = {}): CheckResult {
  return {
    id: 'chk_1',
    monitor_id: 'mon_1',
    region: 'eu',
    agent_id: 'agt_1',
    status: 'ok',
    http_version: null,
    dns: null,
    ping: null,
    grpc: null,
    websocket: null,
    signal: null,
    domain: null,
    measured: null,
    addresses: null,
    steps: null,
    diagnosis: null,
    warnings: [],
    scheduled_at: '2026-11-21T09:59:00.000Z',
    started_at: '2026-11-21T09:59:00.100Z',
    latency_ms: 80.4,
    delayed_ms: null,
    timings: null,
    status_code: 200,
    error: null,
    failure_source: null,
    assertions: [],
    attempt: 1,
    kind: 'scheduled',
    remote_ip: null,
    bytes: 100,
    truncated: false,
    tls: null,
    config_version: 1,
    received_at: '2026-11-21T09:59:01.000Z',
    ...changes,
  };
}

export function sampleIncident(changes: Partial<Incident> = {}): Incident {
  return {
    id: 'inc_1',
    project_id: 'prj_1',
    status_page_id: 'sp_1',
    alert_id: null,
    title: 'Shop is down',
    state: 'investigating',
    severity: 'p1',
    impact: 'major',
    affected_components: [],
    updates: [],
    started_at: '2026-11-21T09:00:00.000Z',
    resolved_at: null,
    postmortem_url: null,
    postmortem_body: null,
    imported_from: null,
    url: 'https://up.example/status/acme/incidents/inc_1',
    created_at: '2026-11-21T09:00:00.000Z',
    updated_at: '2026-11-21T09:00:00.000Z',
    ...changes,
  };
}

export function sampleComponent(changes: Partial<Component> = {}): Component {
  return {
    id: 'cmp_1',
    project_id: 'prj_1',
    key: null,
    managed_by: null,
    status_page_id: 'sp_1',
    name: 'Payments',
    description: '',
    group: null,
    position: 0,
    status: 'operational',
    monitor_ids: [],
    monitor_selector: null,
    matched_monitor_ids: [],
    matched_truncated: false,
    show_uptime: true,
    shown_status: 'operational',
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:00.000Z',
    ...changes,
  };
}

export function sampleBucket(changes: Partial<UptimeBucket> = {}): UptimeBucket {
  return {
    bucket: '2026-11-21',
    uptime: 1,
    incidents: 0,
    down_seconds: 0,
    degraded_seconds: 0,
    observed_seconds: 86_400,
    imported_seconds: 0,
    excluded: { paused_seconds: 0, maintenance_seconds: 0, undetermined_seconds: 0 },
    checks: { ok: 1, warn: 0, err: 0 },
    latency_ms: { p50: 1, p95: 1 },
    ...changes,
  };
}

export function sampleMaintenance(changes: Partial<Maintenance> = {}): Maintenance {
  return {
    id: 'mnt_1',
    project_id: 'prj_1',
    key: null,
    managed_by: null,
    title: 'Database upgrade',
    description: '',
    scope: { monitor_ids: ['mon_1'], selector: null, component_ids: [], status_page_ids: [] },
    starts_at: '2026-12-01T02:00:00.000Z',
    ends_at: '2026-12-01T03:30:00.000Z',
    schedule: null,
    alerts: 'hold',
    exclude_from_uptime: true,
    settle_seconds: 60,
    announced: false,
    announce_before_hours: 72,
    notify: ['announced', 'updates'],
    state: 'scheduled',
    current: null,
    next: null,
    matched_monitors: 1,
    updates: [],
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:00.000Z',
    ...changes,
  };
}

export function sampleChannel(changes: Partial<Channel> = {}): Channel {
  return {
    id: 'chn_1',
    project_id: 'prj_1',
    key: null,
    managed_by: null,
    name: 'On call',
    type: 'email',
    config: { to: ['ops@example.com'] },
    detail: 'full',
    enabled: true,
    state: 'ok',
    unconfirmed: [],
    last_sent_at: null,
    last_error: null,
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:00.000Z',
    ...changes,
  };
}

export function sampleRoute(changes: Partial<Route> = {}): Route {
  return {
    id: 'rte_1',
    project_id: 'prj_1',
    key: null,
    managed_by: null,
    name: 'Production',
    enabled: true,
    match: { selector: 'env=prod', severities: ['p1'], kinds: [], notices: [] },
    continue: false,
    steps: [{ after_minutes: 0, channel_ids: ['chn_1'] }],
    remind_every_minutes: null,
    quiet_hours: null,
    position: 0,
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:00.000Z',
    ...changes,
  };
}

export function sampleGroup(changes: Partial<AlertGroup> = {}): AlertGroup {
  return {
    id: 'agp_1',
    project_id: 'prj_1',
    cause: { type: 'address', value: '203.0.113.7', error_code: 'connect_refused' },
    alert_ids: ['alr_1', 'alr_2'],
    opened_at: '2026-11-21T09:50:10.000Z',
    told_at: '2026-11-21T09:50:15.000Z',
    state: 'open',
    ...changes,
  };
}

export function sampleBacktest(changes: Partial<Backtest> = {}): Backtest {
  const alert = {
    kind: 'down' as const,
    started_at: '2026-11-18T10:00:00.000Z',
    opened_at: '2026-11-18T10:00:10.000Z',
    resolved_at: '2026-11-18T10:10:00.000Z',
  };
  const outcome = {
    alerts: [alert],
    uptime: 0.99,
    down_seconds: 600,
    degraded_seconds: 0,
    undetermined_seconds: 0,
    maintenance_seconds: 0,
  };
  return {
    from: '2026-11-14T10:00:00.000Z',
    to: '2026-11-21T10:00:00.000Z',
    results: 60_480,
    not_replayable: [],
    before: outcome,
    after: outcome,
    diff: { new: [], gone: [], moved: [] },
    ...changes,
  };
}
