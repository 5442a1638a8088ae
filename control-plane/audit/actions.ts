/** What an entry of the audit may say was done. The part before the dot is the resource. */
export const auditActions = [
  'project.created',
  'project.updated',
  'project.limits_changed',
  'project.quota_changed',
  'project.imports_changed',
  'token.created',
  'token.revoked',
  'session.created',
  'session.refused',
  'session.ended',
  'monitor.created',
  'monitor.restored',
  'monitor.updated',
  'monitor.paused',
  'monitor.resumed',
  'monitor.deleted',
  'component.created',
  'component.updated',
  'component.deleted',
  'status_page.created',
  'status_page.updated',
  'status_page.deleted',
  'subscriber.created',
  'subscriber.updated',
  'subscriber.imported',
  'subscriber.deleted',
  'alert.acknowledged',
  'incident.opened',
  'incident.promoted',
  'incident.changed',
  'incident.updated',
  'incident.update_edited',
  'incident.resolved',
  'incident.deleted',
  'delivery.replayed',
  'webhook.created',
  'webhook.updated',
  'webhook.secret_rotated',
  'webhook.deleted',
  'slack.connected',
  'slack.disconnected',
  'release.created',
  'flow.created',
  'flow.updated',
  'flow.deleted',
  'event.user_erased',
  'event.erased',
  'region.created',
  'agent.created',
  'agent.revoked',
  'check.rebuilt',
  'secret.resealed',
  'installation.restored',
  'sending.paused',
  'sending.resumed',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** What entries may be about. */
export type AuditResource = AuditAction extends `${infer Resource}.${string}` ? Resource : never;
export const auditResources = [...new Set(auditActions.map(resourceOf))] as [AuditResource, ...AuditResource[]];

/** How version 0.4 and before named the same: by the endpoint's method and path, or by the operator's command. */
const formerNames: Readonly<Record<string, AuditAction>> = {
  'PATCH /v0/project': 'project.updated',
  'POST /v0/tokens': 'token.created',
  'DELETE /v0/tokens/{id}': 'token.revoked',
  'POST /v0/monitors': 'monitor.created',
  'POST /v0/monitors/bulk': 'monitor.updated',
  'PATCH /v0/monitors/{id}': 'monitor.updated',
  'POST /v0/monitors/{id}/pause': 'monitor.paused',
  'POST /v0/monitors/{id}/resume': 'monitor.resumed',
  'DELETE /v0/monitors/{id}': 'monitor.deleted',
  'POST /v0/components': 'component.created',
  'PATCH /v0/components/{id}': 'component.updated',
  'DELETE /v0/components/{id}': 'component.deleted',
  'POST /v0/status-pages': 'status_page.created',
  'PATCH /v0/status-pages/{id}': 'status_page.updated',
  'DELETE /v0/status-pages/{id}': 'status_page.deleted',
  'POST /v0/status-pages/{id}/subscribers': 'subscriber.created',
  'POST /v0/status-pages/{id}/subscribers/import': 'subscriber.imported',
  'DELETE /v0/status-pages/{id}/subscribers/{subscriber_id}': 'subscriber.deleted',
  'POST /v0/alerts/{id}/acknowledge': 'alert.acknowledged',
  'POST /v0/deliveries/{id}/replay': 'delivery.replayed',
  'POST /v0/webhooks': 'webhook.created',
  'PATCH /v0/webhooks/{id}': 'webhook.updated',
  'POST /v0/webhooks/{id}/rotate-secret': 'webhook.secret_rotated',
  'DELETE /v0/webhooks/{id}': 'webhook.deleted',
  'PUT /v0/slack': 'slack.connected',
  'DELETE /v0/slack': 'slack.disconnected',
  'POST /v0/flows': 'flow.created',
  'PATCH /v0/flows/{id}': 'flow.updated',
  'DELETE /v0/flows/{id}': 'flow.deleted',
  'project create': 'project.created',
  'project limits': 'project.limits_changed',
  'project quota': 'project.quota_changed',
  'project imports': 'project.imports_changed',
  'events erase-user': 'event.user_erased',
  'events erase': 'event.erased',
  'token create': 'token.created',
  'token revoke': 'token.revoked',
  'region create': 'region.created',
  'agent create': 'agent.created',
  'agent revoke': 'agent.revoked',
  'secrets reseal': 'secret.resealed',
  'checks rebuild': 'check.rebuilt',
  restore: 'installation.restored',
  'sending pause': 'sending.paused',
  'sending resume': 'sending.resumed',
};

/** The action that a stored name stands for. */
export function actionOf(stored: string): AuditAction {
  return formerNames[stored] ?? (stored as AuditAction);
}

/** All names under which an action may be stored. */
export function namesOf(action: AuditAction): string[] {
  return [action, ...Object.keys(formerNames).filter(former => formerNames[former] === action)];
}

export function resourceOf(action: AuditAction): AuditResource {
  return action.slice(0, action.indexOf('.')) as AuditResource;
}
