import { resealNotifications } from '../../delivery/notifications/reseal.ts';
import { rebuildHours } from '../../monitoring/checks/roll-up/hourly-store.ts';
import { resealMonitors } from '../../monitoring/monitors/secrets/reseal.ts';
import { lockStates } from '../../monitoring/monitors/state/state-store.ts';
import { resealProjectSecrets } from '../../monitoring/secrets/reseal.ts';
import { resealHeartbeats } from '../../monitoring/signals/reseal.ts';
import { resealChannels } from '../../on-call/channels/secrets/reseal.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { createKeyring } from '../../platform/secrets/keyring.ts';
import { resealPages } from '../../publishing/status-pages/access/reseal.ts';
import { resealSubscribers } from '../../publishing/subscribers/reseal.ts';
import { type Options, requireHour, requireOption } from './options.ts';
import { madeEntry } from './record.ts';
import type { CommandServices } from './services.ts';
import { findProjectOf } from './store.ts';

/** Encrypts every stored secret again with the first of SECRETS_KEYS, so that the other keys can be removed. */
export async function resealSecrets(_: Options, services: CommandServices): Promise<unknown> {
  const { pool } = services;
  const { secretsKeys } = services.config;
  if (secretsKeys.length === 0) throw new Error('SECRETS_KEYS is not set.');
  const keyring = createKeyring(secretsKeys);
  const monitors = await resealMonitors(pool, keyring);
  const heartbeats = await resealHeartbeats(pool, keyring);
  const secrets = await resealProjectSecrets(pool, keyring);
  const subscribers = await resealSubscribers(pool, keyring);
  const pages = await resealPages(pool, keyring, services.nowMs);
  const channels = await resealChannels(pool, keyring);
  const resealed = {
    monitors,
    heartbeats,
    secrets,
    subscribers,
    pages,
    channels,
    ...(await resealNotifications(pool, keyring)),
  };
  await services.record(null, madeEntry('secret.resealed', 'secrets', null, resealed));
  return resealed;
}

/** Takes the lock that judging takes, so that no result is counted meanwhile. */
export async function rebuildChecks(options: Options, { pool, sql, record }: CommandServices): Promise<unknown> {
  const monitor = requireOption(options, 'monitor');
  const [from, to] = [requireHour(options, 'from'), requireHour(options, 'to')];
  await transaction(pool, async sql => {
    await lockStates(sql, [monitor]);
    await rebuildHours(sql, monitor, from, to);
  });
  const hours = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  await record(await findProjectOf(sql, { monitor }), madeEntry('check.rebuilt', monitor, null, hours));
  return { monitor, ...hours, rebuilt: true };
}
