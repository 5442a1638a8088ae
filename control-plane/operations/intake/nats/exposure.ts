import { isLocalName } from '#shared/network/local-name.ts';
import type { NatsSettings } from '../settings.ts';

/**
 * Pure: what the settings leave open on the way to NATS servers that are not on this machine. Workers believe the
 * messages of the streams, so that who may publish there is as good as every agent and every token.
 */
export function brokerExposure({ connection }: Pick<NatsSettings, 'connection'>): string[] {
  const { servers, user, token, tls } = connection;
  if (servers.every(server => isLocalName(new URL(`nats://${server}`).hostname))) return [];
  const warnings: string[] = [];
  if (user === undefined && token === undefined)
    warnings.push(
      'NATS_URL is not on this machine and has no password or token: if the server asks for none, who reaches it can ' +
        'report results for every monitor and write events into every project',
    );
  if (tls === undefined)
    warnings.push(
      'NATS_URL is not on this machine and does not begin with tls://: on the network between, results, events and ' +
        'the password of NATS can be read and changed',
    );
  return warnings;
}
