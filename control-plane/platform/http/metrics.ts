import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { CommitTimes } from './commit-times.ts';

/** The metrics served to Prometheus at /metrics. */
export type Metrics = ReturnType<typeof createMetrics>;

/** How often the event loop's delay is measured: each wakes the process, and every 10 ms took 0.4 % of a processor. */
const eventLoopEveryMs = 50;

/** Node's own, once a thread: to watch event loop and garbage collection has no end. */
let ofNode: Registry | null = null;

function nodeMetrics(): Registry {
  if (ofNode === null) {
    ofNode = new Registry();
    collectDefaultMetrics({ register: ofNode, eventLoopMonitoringPrecision: eventLoopEveryMs });
  }
  return ofNode;
}

export function createMetrics() {
  const registry = new Registry();
  for (const metric of nodeMetrics().getMetricsAsArray()) registry.registerMetric(metric as unknown as Metric);
  const registers = [registry];
  const commits = new CommitTimes();
  return {
    registry,
    commits,
    commitAge: new Gauge({
      name: 'upquorum_commit_age_seconds',
      help: 'How long ago a writer last committed, or found nothing to commit',
      labelNames: ['writer'],
      registers,
      collect() {
        for (const [writer, ageMs] of Object.entries(commits.agesMs())) this.set({ writer }, ageMs / 1000);
      },
    }),
    requests: new Histogram({
      name: 'upquorum_http_request_seconds',
      help: 'Duration of a request',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    sessions: new Gauge({ name: 'upquorum_agent_sessions', help: 'Agents connected to this replica', registers }),
    agentsWaiting: new Gauge({
      name: 'upquorum_agents_waiting',
      help: 'Agents connected to this replica that have yet to be sent assignments',
      registers,
    }),
    monitorsHeld: new Gauge({
      name: 'upquorum_monitors_held',
      help: 'Active monitors of the regions whose agents are connected to this replica',
      registers,
    }),
    agentLosses: new Counter({
      name: 'upquorum_agent_losses_total',
      help: 'What connected agents report: missed_slots, late_starts, results_dropped',
      labelNames: ['kind'],
      registers,
    }),
    failingSpools: new Gauge({
      name: 'upquorum_agent_spools_failing',
      help: 'Connected agents that cannot write their spool',
      registers,
    }),
    results: new Counter({
      name: 'upquorum_results_total',
      help: 'Check results by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    queue: new Gauge({
      name: 'upquorum_results_queued',
      help: 'Check results received and not yet committed',
      registers,
    }),
    recordSeconds: new Histogram({
      name: 'upquorum_record_seconds',
      help: 'Duration of a transaction that stores check results',
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    flips: new Counter({
      name: 'upquorum_verdict_changes_total',
      help: 'Verdict changes',
      labelNames: ['to'],
      registers,
    }),
    alerts: new Counter({
      name: 'upquorum_alerts_total',
      help: 'Alerts by event',
      labelNames: ['event'],
      registers,
    }),
    failures: new Counter({
      name: 'upquorum_work_failures_total',
      help: 'Items, such as one monitor, that failed in a loop while the others went on',
      labelNames: ['work'],
      registers,
    }),
    deliveries: new Counter({
      name: 'upquorum_deliveries_total',
      help: 'Delivery attempts by channel and outcome',
      labelNames: ['channel', 'outcome'],
      registers,
    }),
    emailFailures: new Counter({
      name: 'upquorum_email_failures_total',
      help: 'Emails that the SMTP server did not accept, by whose failure it is: recipient, relay or message',
      labelNames: ['blame'],
      registers,
    }),
    sendingPaused: new Gauge({
      name: 'upquorum_sending_paused',
      help: '1 while emails, webhooks and Slack messages wait for the operator',
      registers,
    }),
    projectsWithoutAdmin: new Gauge({
      name: 'upquorum_projects_without_admin',
      help: 'Projects that have members, of whom no active one is admin',
      registers,
    }),
    sharedNotices: new Gauge({
      name: 'upquorum_shared_notices_open',
      help: 'Open notices about shared regions and agents that no project gets, by kind',
      labelNames: ['kind'],
      registers,
    }),
    factsWaiting: new Gauge({
      name: 'upquorum_facts_waiting_seconds',
      help: 'Age of the oldest change whose notifications are not queued yet',
      registers,
    }),
    deliveriesWaiting: new Gauge({
      name: 'upquorum_deliveries_waiting_seconds',
      help: 'How long the recipient that waits longest has waited for its turn, by channel',
      labelNames: ['channel'],
      registers,
    }),
    checksDue: new Gauge({
      name: 'upquorum_checks_due_per_second',
      help: 'Checks per second that all enabled monitors ask for',
      registers,
    }),
    events: new Counter({
      name: 'upquorum_events_total',
      help: 'Events by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    eventsRefused: new Counter({
      name: 'upquorum_events_refused_total',
      help: 'Events refused by reason; a request refused before its body is read counts as one event',
      labelNames: ['reason'],
      registers,
    }),
    rollUpLag: new Gauge({
      name: 'upquorum_roll_up_lag_seconds',
      help: 'Age of the oldest event that is not in hourly funnels yet',
      registers,
    }),
    eventCellsPending: new Gauge({
      name: 'upquorum_event_cells_pending',
      help: 'Days of arrived events that wait to be counted by name and hour again',
      registers,
    }),
    eventMonitorsLate: new Gauge({
      name: 'upquorum_event_monitors_late',
      help: 'Instants of monitors of stored events that wait to be judged for more than a minute',
      registers,
    }),
    erasuresRunning: new Gauge({
      name: 'upquorum_erasures_running',
      help: 'Erasures of users that are not done yet',
      registers,
    }),
    eventsQueued: new Gauge({
      name: 'upquorum_events_queued',
      help: 'Events accepted and not yet committed',
      registers,
    }),
    intakeAge: new Gauge({
      name: 'upquorum_intake_wait_seconds',
      help: 'With INTAKE=nats: how long the last message of a stream waited until it was stored',
      labelNames: ['stream'],
      registers,
    }),
    intakeStreams: new Gauge({
      name: 'upquorum_intake_streams',
      help: 'With INTAKE=nats: streams that this process stores; 8 of each kind in all',
      labelNames: ['kind'],
      registers,
    }),
    intakeDeadLetters: new Counter({
      name: 'upquorum_intake_parked_total',
      help: 'With INTAKE=nats: results and events that could not be stored and are kept in intake_parked',
      labelNames: ['kind'],
      registers,
    }),
    seriesBytes: new Gauge({
      name: 'upquorum_series_bytes',
      help: 'Size of a table that grows, indexes included',
      labelNames: ['series'],
      registers,
    }),
    seriesForecast: new Gauge({
      name: 'upquorum_series_forecast_bytes',
      help: 'Size of the table at the present rate when retention is reached, or after a year',
      labelNames: ['series'],
      registers,
    }),
    build: new Gauge({
      name: 'upquorum_build_info',
      help: 'Version of the control plane, of Node and of its time zone data',
      labelNames: ['version', 'node', 'tz'],
      registers,
    }),
    roles: new Gauge({
      name: 'upquorum_role_info',
      help: 'Roles of this process',
      labelNames: ['role'],
      registers,
    }),
    storage: new Gauge({
      name: 'upquorum_storage_info',
      help: 'Storage edition in use',
      labelNames: ['edition'],
      registers,
    }),
  };
}
