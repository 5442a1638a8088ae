import { toTimestamp } from '#shared/clock.ts';
import { countUnsent, findSendingHold, pauseSending, resumeSending } from '../notifications/sending-store.ts';
import { type Options, requireOption } from './options.ts';
import type { AdminServices } from './services.ts';

/** Whether messages are sent, since when not and why, and how many wait. */
export async function showSending(_: Options, { sql }: AdminServices): Promise<unknown> {
  const hold = await findSendingHold(sql);
  const unsent = await countUnsent(sql);
  return hold === null
    ? { sending: true, ...unsent }
    : { sending: false, paused_at: toTimestamp(hold.since), reason: hold.reason, ...unsent };
}

export async function pause(options: Options, services: AdminServices): Promise<unknown> {
  await pauseSending(services.sql, requireOption(options, 'reason'), services.nowMs);
  return showSending(options, services);
}

/** What is queued goes out now. */
export async function resume(options: Options, services: AdminServices): Promise<unknown> {
  if (!(await resumeSending(services.sql))) throw new Error('Sending is not paused.');
  return showSending(options, services);
}
