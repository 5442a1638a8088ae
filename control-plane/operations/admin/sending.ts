import { toTimestamp } from '#shared/clock.ts';
import {
  countUnsent,
  findSendingPause,
  pauseSending,
  resumeSending,
} from '../../delivery/notifications/sending-store.ts';
import { type Options, requireOption } from './options.ts';
import type { AdminServices, CommandServices } from './services.ts';

/** Whether messages are sent, since when not and why, and how many wait. */
export async function showSending(_: Options, { sql }: AdminServices): Promise<unknown> {
  const hold = await findSendingPause(sql);
  const unsent = await countUnsent(sql);
  return hold === null
    ? { sending: true, ...unsent }
    : { sending: false, paused_at: toTimestamp(hold.since), reason: hold.reason, ...unsent };
}

export async function pause(options: Options, services: CommandServices): Promise<unknown> {
  const before = pausedFields(await findSendingPause(services.sql));
  await pauseSending(services.sql, requireOption(options, 'reason'), services.nowMs);
  const after = pausedFields(await findSendingPause(services.sql));
  await services.record(null, { action: 'sending.paused', subject: 'sending', name: null, before, after });
  return showSending(options, services);
}

/** What is queued goes out now. */
export async function resume(options: Options, services: CommandServices): Promise<unknown> {
  const before = pausedFields(await findSendingPause(services.sql));
  if (!(await resumeSending(services.sql))) throw new Error('Sending is not paused.');
  const after = pausedFields(null);
  await services.record(null, { action: 'sending.resumed', subject: 'sending', name: null, before, after });
  return showSending(options, services);
}

function pausedFields(hold: { reason: string } | null) {
  return { paused: hold !== null, reason: hold?.reason ?? null };
}
