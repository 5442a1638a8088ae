import type { FactKind, StoredFact } from '../../platform/facts/fact.ts';
import type { SlackStep } from './slack/message.ts';

/** What is queued or cancelled for a fact, in this order. */
export type FanOutAction =
  | { type: 'notifySubscribers' }
  | { type: 'notifyOfMaintenance' }
  | { type: 'notifySlack'; step: SlackStep }
  | { type: 'notifyWebhooks' }
  | { type: 'cancelDeliveries' };

export type FanOutPlan = {
  /** What webhooks get the current state of. */
  about: 'incident' | 'alert' | 'maintenance' | 'notice';
  /** The id of that. Deliveries of one thread reach a recipient in the order of their facts. */
  thread(fact: StoredFact): string;
  actions: readonly FanOutAction[];
};

const bySubject = (fact: StoredFact) => fact.subject;
const byIncident = (fact: StoredFact) => (fact.kind === 'incident.updated' ? fact.payload.incident_id : fact.subject);

const byMaintenance = (fact: StoredFact) =>
  fact.kind === 'maintenance.updated' ? fact.payload.maintenance_id : fact.subject;

const notifySubscribers: FanOutAction = { type: 'notifySubscribers' };
const notifyOfMaintenance: FanOutAction = { type: 'notifyOfMaintenance' };
const notifyWebhooks: FanOutAction = { type: 'notifyWebhooks' };
const cancelDeliveries: FanOutAction = { type: 'cancelDeliveries' };
const notifySlack = (step: SlackStep): FanOutAction => ({ type: 'notifySlack', step });

/** The plan of each kind of fact; null for kinds that notify nobody. */
export const fanOutPlans: Readonly<Record<FactKind, FanOutPlan | null>> = {
  'alert.opened': { about: 'alert', thread: bySubject, actions: [notifySlack('opened'), notifyWebhooks] },
  'alert.held': { about: 'alert', thread: bySubject, actions: [notifyWebhooks] },
  'alert.updated': { about: 'alert', thread: bySubject, actions: [notifySlack('reopened'), notifyWebhooks] },
  'alert.acknowledged': { about: 'alert', thread: bySubject, actions: [notifyWebhooks] },
  'alert.escalated': { about: 'alert', thread: bySubject, actions: [notifySlack('escalated'), notifyWebhooks] },
  'alert.resolved': { about: 'alert', thread: bySubject, actions: [notifySlack('resolved'), notifyWebhooks] },
  'incident.opened': { about: 'incident', thread: bySubject, actions: [notifyWebhooks] },
  'incident.updated': { about: 'incident', thread: byIncident, actions: [notifySubscribers, notifyWebhooks] },
  'incident.resolved': { about: 'incident', thread: bySubject, actions: [notifyWebhooks] },
  'incident.deleted': { about: 'incident', thread: bySubject, actions: [cancelDeliveries] },
  'incident.changed': null,
  'maintenance.scheduled': { about: 'maintenance', thread: bySubject, actions: [notifyWebhooks] },
  'maintenance.changed': { about: 'maintenance', thread: bySubject, actions: [notifyWebhooks] },
  'maintenance.started': { about: 'maintenance', thread: bySubject, actions: [notifyWebhooks] },
  'maintenance.updated': {
    about: 'maintenance',
    thread: byMaintenance,
    actions: [notifyOfMaintenance, notifyWebhooks],
  },
  'maintenance.ended': { about: 'maintenance', thread: bySubject, actions: [notifyWebhooks] },
  'maintenance.cancelled': { about: 'maintenance', thread: bySubject, actions: [notifyWebhooks] },
  'component.changed': null,
  'monitor.flipped': null,
  'notice.opened': { about: 'notice', thread: bySubject, actions: [notifyWebhooks] },
  'notice.closed': { about: 'notice', thread: bySubject, actions: [notifyWebhooks] },
  'region.quarantined': null,
  'region.returned': null,
};
