import { useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { Ago } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Invitation, Member } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { SettingSections } from '../settings/sections.tsx';
import { GroupRoles } from './group-roles.tsx';
import { InvitationRow } from './invitation-row.tsx';
import { Invite } from './invite.tsx';
import { ChangeRole, RemoveMember } from './member-dialogs.tsx';

const membersMax = 1000;

type Open = { act: 'role' | 'remove'; member: Member };

/** The people of the project: what they may do, since when, and who is invited. */
export function Members() {
  const app = useApp();
  const [open, setOpen] = useState<'invite' | Open | null>(null);
  const load = useLoad(
    '',
    async () => {
      const { client } = app.api;
      const [members, invitations, groupRoles] = await Promise.all([
        readAll(query => client.GET('/v0/members', { params: { query } }), membersMax),
        readAll(query => client.GET('/v0/invitations', { params: { query } }), membersMax),
        readAll(query => client.GET('/v0/group-roles', { params: { query } }), membersMax),
      ]);
      return { members, groupRoles, invitations: invitations.filter(({ state }) => state === 'open') };
    },
    15_000,
  );
  const members = load.value?.members ?? [];
  const invitations = load.value?.invitations ?? [];
  const close = () => setOpen(null);
  const { person, token_id } = app.session;
  const canWrite = person !== null && app.can('members:write');
  // While nobody is a member, a token that may do everything makes the first admin.
  const isFirst = person === null && load.value !== null && members.length === 0 && app.can('tokens:write');
  const first = useAction();
  // The link leads to where passkeys and accounts join; the session of the token ends there.
  const join = async (): Promise<void> => {
    const made = await read(app.api.client.POST('/v0/invitations', { body: { role: 'admin' } }));
    if (made.url !== undefined) location.assign(made.url);
  };
  const invite = isFirst ? (
    <ActionButton class="primary" action={first} work={join}>
      Sign in as yourself
    </ActionButton>
  ) : (
    canWrite && (
      <button type="button" class="primary" onClick={() => setOpen('invite')}>
        Invite
      </button>
    )
  );
  return (
    <Page
      title="Members"
      crumbs={[{ label: 'Settings', address: '#/settings' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      actions={invite || undefined}
    >
      <SettingSections />
      <p class="hint about">People who sign in as themselves. What a member may do follows from the role.</p>
      <ProblemNote problem={first.problem} />
      {load.value !== null && members.length === 0 && (
        <div class="card empty">
          <h2>Nobody yet</h2>
          <p>
            {isFirst
              ? 'Sign in as yourself: you become the first admin, and invite the others.'
              : 'The first admin comes by the operator’s command or by a token that may do everything.'}
          </p>
        </div>
      )}
      <ul class="cards" aria-label="Members">
        {members.map(member => (
          <Row
            key={member.person_id}
            member={member}
            isSelf={member.person_id === person?.id}
            act={canWrite ? act => setOpen({ act, member }) : null}
            leave={token_id !== null ? null : () => setOpen({ act: 'remove', member })}
          />
        ))}
      </ul>
      {invitations.length > 0 && <Invitations invitations={invitations} canWrite={canWrite} refresh={load.refresh} />}
      {load.value?.groupRoles !== undefined && (
        <GroupRoles roles={load.value.groupRoles} canWrite={canWrite} refresh={load.refresh} />
      )}
      {open === 'invite' && <Invite close={close} refresh={load.refresh} />}
      {open !== null && open !== 'invite' && open.act === 'role' && (
        <ChangeRole member={open.member} close={close} refresh={load.refresh} />
      )}
      {open !== null && open !== 'invite' && open.act === 'remove' && (
        <RemoveMember
          member={open.member}
          isSelf={open.member.person_id === person?.id}
          close={close}
          refresh={load.refresh}
        />
      )}
    </Page>
  );
}

type RowProps = {
  member: Member;
  isSelf: boolean;
  act: ((act: Open['act']) => void) | null;
  leave: (() => void) | null;
};

function Row({ member, isSelf, act, leave }: RowProps) {
  const { name, email, role, joined_at, last_seen_at } = member;
  return (
    <li class="card row wall-row" data-row>
      <div class="what">
        <strong>{name}</strong>
        <span class="hint">{isSelf ? ['you', email].filter(Boolean).join(' · ') : (email ?? '')}</span>
      </div>
      <span class="tag">{role}</span>
      <span class="hint">
        since <Ago at={joined_at} />
        {last_seen_at !== null && [' · seen ', <Ago key="seen" at={last_seen_at} />]}
      </span>
      <div class="do">
        {act !== null && (
          <button type="button" class="quiet" aria-label={`Change the role of ${name}`} onClick={() => act('role')}>
            Role…
          </button>
        )}
        {isSelf
          ? leave !== null && (
              <button type="button" class="quiet" onClick={leave}>
                Leave…
              </button>
            )
          : act !== null && (
              <button type="button" class="quiet" aria-label={`Remove ${name}`} onClick={() => act('remove')}>
                Remove…
              </button>
            )}
      </div>
    </li>
  );
}

type InvitationsProps = { invitations: readonly Invitation[]; canWrite: boolean; refresh(): Promise<void> };

function Invitations({ invitations, canWrite, refresh }: InvitationsProps) {
  return (
    <section>
      <h2>Open invitations</h2>
      <ul class="cards" aria-label="Open invitations">
        {invitations.map(invitation => (
          <InvitationRow key={invitation.id} invitation={invitation} canWrite={canWrite} refresh={refresh} />
        ))}
      </ul>
    </section>
  );
}
