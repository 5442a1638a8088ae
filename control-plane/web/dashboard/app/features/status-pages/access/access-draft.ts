import type { Bodies } from '#control-plane/web/api-client/client.ts';
import { mask } from '../../../kit/form/mask.ts';
import type { StatusPage } from '../../../session/api-types.ts';

/** Who may see a page, as it is typed. */
export type AccessDraft = { type: StatusPage['access']['type']; password: string; ranges: string };
type AccessBody = NonNullable<Bodies['updateStatusPage']['access']>;

export const accessChoices: readonly (readonly [AccessDraft['type'], string])[] = [
  ['public', 'Everybody'],
  ['password', 'Whoever knows a password'],
  ['link', 'Whoever has opened a secret link'],
  ['members', 'Members of the project'],
  ['ip', 'Some addresses'],
];

export function accessDraftOf({ access }: Pick<StatusPage, 'access'>): AccessDraft {
  return {
    type: access.type,
    password: access.type === 'password' ? mask : '',
    ranges: (access.ranges ?? []).join('\n'),
  };
}

/** What of a draft may stay in the tab's storage. */
export function withoutPassword(page: Pick<StatusPage, 'access'>): (draft: AccessDraft) => AccessDraft {
  const { password } = accessDraftOf(page);
  return draft => ({ ...draft, password });
}

/** What the API takes. */
export function accessBody({ type, password, ranges }: AccessDraft): AccessBody {
  switch (type) {
    case 'password':
      return { type, password };
    case 'ip':
      return { type, ranges: ranges.split(/[\s,]+/).filter(range => range !== '') };
    default:
      return { type };
  }
}

/** What visitors see who are not let in. */
export const refusals: Readonly<Record<AccessDraft['type'], string>> = {
  public: 'Everybody sees the page, and search engines may list it.',
  password: 'A short page with a field for the password, in the visitor’s language. It does not say whose page it is.',
  link: 'The same as for an address that does not exist.',
  members: 'A short page with a button to sign in, in the visitor’s language. It does not say whose page it is.',
  ip: 'A short page with the visitor’s own address. It does not say whose page it is.',
};
