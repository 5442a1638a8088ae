import { relayConditions } from '../delivery/notifications/email/relay-condition.ts';
import { openAgentGateway } from '../monitoring/open-gateway.ts';
import { channelConditions } from '../on-call/channels/condition.ts';
import { domainConditions } from '../publishing/status-pages/domains/watch.ts';
import type { RoleServices } from './role.ts';

/** Serves agents. Disposing it disconnects them, and commits and acknowledges what they sent. */
export async function openGatewayRole(services: RoleServices): Promise<AsyncDisposable> {
  const { config, writers, server } = services;
  const gateway = await openAgentGateway({
    ...services,
    baseUrl: config.publicUrl,
    sweepHoldMs: config.sweepHoldSeconds * 1000,
    operatorProject: config.operatorProject,
    conditions: [channelConditions, relayConditions, domainConditions],
  });
  writers.set('results', gateway.waitingMs);
  server.onUpgrade(gateway.upgrade);
  return gateway;
}
