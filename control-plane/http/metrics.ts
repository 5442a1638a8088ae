import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What Prometheus reads at /metrics. */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: 'upquorum_http_request_seconds',
      help: 'Time to answer a request',
      labelNames: ['route', 'status'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    sessions: new Gauge({ name: 'upquorum_agent_sessions', help: 'Agents connected to this replica', registers }),
    results: new Counter({
      name: 'upquorum_results_total',
      help: 'Check results by what became of them',
      labelNames: ['outcome'],
      registers,
    }),
    queue: new Gauge({ name: 'upquorum_results_queued', help: 'Results received and not yet committed', registers }),
    recordSeconds: new Histogram({
      name: 'upquorum_record_seconds',
      help: 'Time of one transaction that stores results',
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
      help: 'Alerts by what happened to them',
      labelNames: ['event'],
      registers,
    }),
    deliveries: new Counter({
      name: 'upquorum_deliveries_total',
      help: 'Attempts to tell somebody, by what they came to',
      labelNames: ['channel', 'outcome'],
      registers,
    }),
    events: new Counter({
      name: 'upquorum_events_total',
      help: 'Events by what became of them',
      labelNames: ['outcome'],
      registers,
    }),
    eventsQueued: new Gauge({
      name: 'upquorum_events_queued',
      help: 'Events accepted and not yet committed',
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
