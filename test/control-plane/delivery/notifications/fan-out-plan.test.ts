import test from 'ava';
import { fanOutPlans } from '#control-plane/delivery/notifications/fan-out-plan.ts';
import type { FactKind, StoredFact } from '#control-plane/platform/facts/fact.ts';
import { webhookKinds } from '#shared/webhook-kinds.ts';

/** What an alert, an incident and an update have in common here. */
function factOf(kind: FactKind): StoredFact {
  const ids = { monitor_id: 'mon_1', status_page_id: 'sp_1', incident_id: 'inc_1', maintenance_id: 'mnt_1' };
  const payload = { ...ids, state: 'identified' };
  return {
    id: 1,
    at: 0,
    attempts: 0,
    kind,
    projectId: 'proj_1',
    subject: 'subject_1',
    payload,
  } as unknown as StoredFact;
}

type Row = [kind: FactKind, about: string, thread: string, actions: string];
const rows: Row[] = [
  ['alert.opened', 'alert', 'subject_1', 'notifySlack opened, notifyWebhooks'],
  ['alert.held', 'alert', 'subject_1', 'notifyWebhooks'],
  ['alert.updated', 'alert', 'subject_1', 'notifySlack reopened, notifyWebhooks'],
  ['notice.opened', 'notice', 'subject_1', 'notifyWebhooks'],
  ['notice.closed', 'notice', 'subject_1', 'notifyWebhooks'],
  ['alert.acknowledged', 'alert', 'subject_1', 'notifyWebhooks'],
  ['alert.escalated', 'alert', 'subject_1', 'notifySlack escalated, notifyWebhooks'],
  ['alert.resolved', 'alert', 'subject_1', 'notifySlack resolved, notifyWebhooks'],
  ['incident.opened', 'incident', 'subject_1', 'notifyWebhooks'],
  ['incident.updated', 'incident', 'inc_1', 'notifySubscribers, notifyWebhooks'],
  ['incident.resolved', 'incident', 'subject_1', 'notifyWebhooks'],
  ['incident.deleted', 'incident', 'subject_1', 'cancelDeliveries'],
  ['maintenance.scheduled', 'maintenance', 'subject_1', 'notifyWebhooks'],
  ['maintenance.changed', 'maintenance', 'subject_1', 'notifyWebhooks'],
  ['maintenance.started', 'maintenance', 'subject_1', 'notifyWebhooks'],
  ['maintenance.updated', 'maintenance', 'mnt_1', 'notifyOfMaintenance, notifyWebhooks'],
  ['maintenance.ended', 'maintenance', 'subject_1', 'notifyWebhooks'],
  ['maintenance.cancelled', 'maintenance', 'subject_1', 'notifyWebhooks'],
];
for (const [kind, about, thread, actions] of rows)
  test(`${kind} of the ${about}: ${actions}`, t => {
    const plan = fanOutPlans[kind];
    const planned = plan?.actions.map(action =>
      action.type === 'notifySlack' ? `notifySlack ${action.step}` : action.type,
    );
    t.deepEqual([plan?.about, plan?.thread(factOf(kind)), planned?.join(', ')], [about, thread, actions]);
  });

test('every other kind of fact notifies nobody', t => {
  const planned = Object.entries(fanOutPlans).flatMap(([kind, plan]) => (plan === null ? [] : [kind]));
  t.deepEqual(planned.sort(), rows.map(([kind]) => kind).sort());
});

test('the kinds that a webhook can ask for are the kinds that notify webhooks, and those that have no fact', t => {
  const notifying = Object.entries(fanOutPlans).flatMap(([kind, plan]) =>
    plan?.actions.some(action => action.type === 'notifyWebhooks') === true ? [kind] : [],
  );
  t.deepEqual([...notifying, 'config.applied', 'erasure.done'].sort(), [...webhookKinds].sort());
});
