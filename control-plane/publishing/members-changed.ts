import type { MembersChanged } from '../access/members/visits.ts';
import { lockProjects } from '../platform/projects/store.ts';
import type { Keyring } from '../platform/secrets/keyring.ts';
import { writeGatesOf } from './status-pages/access/members.ts';
import type { SubscriberHooks } from './subscribers/hooks.ts';
import { deleteFormerMembers } from './subscribers/member-store.ts';

/** Who is no member any more sees no page for members from then on, and gets no updates of it. */
export function createMembersChanged(keyringOf: () => Keyring, hooks: Pick<SubscriberHooks, 'left'>): MembersChanged {
  return async (sql, projectIds, nowMs) => {
    // Of two who change members at once, the second reads what the first wrote.
    await lockProjects(sql, projectIds);
    for (const id of await deleteFormerMembers(sql, projectIds)) await hooks.left(sql, id, nowMs);
    await writeGatesOf(sql, projectIds, keyringOf, nowMs);
  };
}
