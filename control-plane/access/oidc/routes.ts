import { z } from 'zod';
import type { RecordChange } from '../../platform/audit/record.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { originOf } from '../../platform/http/endpoint/recording.ts';
import { Problem } from '../../platform/http/problem.ts';
import { recordEverywhere } from '../people/record.ts';
import { lockPerson } from '../people/store.ts';
import { requireOtherWay } from '../people/ways-in.ts';
import type { SignInSettings } from './settings.ts';
import { deleteIdentity } from './store.ts';

/** One's own accounts at the identity provider. They are linked where somebody signs in. */
export function identityEndpoints({
  recordChange,
  signIn,
}: {
  recordChange: RecordChange;
  signIn: SignInSettings;
}): readonly Endpoint[] {
  return [
    endpoint({
      method: 'delete',
      path: '/v0/me/identities/{id}',
      summary: 'Unlink an account at an identity provider',
      operation: 'unlinkIdentity',
      tag: 'People',
      scope: null,
      peopleOnly: true,
      anywhere: true,
      pool: 'people',
      confirmed: true,
      params: z.object({ id: z.string().max(40) }),
      answers: { 204: null },
      audit: ['identity.unlinked'],
      handle: async ({ sql, caller, params: { id }, nowMs, requestId }) => {
        // Of two that are removed at once one stays.
        const person = await lockPerson(sql, caller.actor.id);
        const identity = person?.identities.find(own => own.id === id);
        if (person === null || identity === undefined) throw new Problem('not_found');
        requireOtherWay(person, { issuer: identity.issuer }, signIn);
        await deleteIdentity(sql, id);
        const change = { subject: person.id, name: person.name, before: { issuer: identity.issuer }, after: null };
        const origin = originOf({}, caller, requestId);
        const about = { personId: person.id, origin, change: { action: 'identity.unlinked', ...change } as const };
        await recordEverywhere(sql, recordChange, about, nowMs);
        return { status: 204 };
      },
    }),
  ];
}
