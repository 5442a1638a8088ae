/** Kinds of events that a project's webhook receives unless it says others. */
export const usualWebhookKinds = [
  'alert.opened',
  'alert.acknowledged',
  'alert.escalated',
  'alert.resolved',
  'incident.opened',
  'incident.updated',
  'incident.resolved',
] as const;

/** All kinds of events that a project's webhook can receive. */
export const webhookKinds = [
  ...usualWebhookKinds,
  'alert.held',
  'alert.updated',
  'maintenance.scheduled',
  'maintenance.changed',
  'maintenance.started',
  'maintenance.updated',
  'maintenance.ended',
  'maintenance.cancelled',
  'notice.opened',
  'notice.closed',
  'config.applied',
  'erasure.done',
] as const;
export type WebhookKind = (typeof webhookKinds)[number];
