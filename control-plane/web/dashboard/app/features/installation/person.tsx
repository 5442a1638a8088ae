import { useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { Ago } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Person as PersonData } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { ForOperators, InstallationSections } from './sections.tsx';
import { SignInLink } from './sign-in-link.tsx';

const title = 'Person';

/** One person: their projects, and what an operator decides of them. */
export function Person({ id }: { id: string }) {
  return (
    <ForOperators title={title}>
      <Details id={id} />
    </ForOperators>
  );
}

function Details({ id }: { id: string }) {
  const { api } = useApp();
  const load = useLoad(id, () => read(api.client.GET('/v0/people/{id}', { params: { path: { id } } })), 15_000);
  const person = load.value;
  return (
    <Page
      title={person?.name ?? title}
      crumbs={[{ label: 'People', address: '#/installation' }]}
      freshness={load.freshness}
      refresh={load.refresh}
    >
      <InstallationSections />
      {person !== null && (
        <>
          <section class="card">
            <Facts person={person} />
          </section>
          {person.state !== 'erased' && <Decisions person={person} refresh={load.refresh} />}
        </>
      )}
    </Page>
  );
}

function Facts({ person }: { person: PersonData }) {
  const { id, email, email_verified, operator, state, passkeys, identities, last_seen_at, created_at, projects } =
    person;
  return (
    <dl class="facts">
      <dt>ID</dt>
      <dd>
        <code>{id}</code>
      </dd>
      <dt>Address</dt>
      <dd>{email === null ? 'none' : `${email} (${email_verified ? 'verified' : 'not verified'})`}</dd>
      <dt>State</dt>
      <dd>{operator ? `${state}, operator` : state}</dd>
      <dt>Signs in by</dt>
      <dd>
        passkeys: {passkeys} · accounts: {identities.length}
      </dd>
      <dt>Seen</dt>
      <dd>{last_seen_at === null ? 'never' : <Ago at={last_seen_at} />}</dd>
      <dt>Here since</dt>
      <dd>
        <Ago at={created_at} />
      </dd>
      <dt>Projects</dt>
      <dd>{projects?.length ? projects.map(({ name, role }) => `${name} (${role})`).join(', ') : 'none'}</dd>
    </dl>
  );
}

type DecisionsProps = { person: PersonData; refresh(): Promise<void> };

function Decisions({ person, refresh }: DecisionsProps) {
  const app = useApp();
  const action = useAction();
  const [open, setOpen] = useState<'link' | 'deactivate' | 'erase' | null>(null);
  const { id, name, operator, state } = person;
  const params = { path: { id } };
  const change = async (
    body: { operator?: boolean; state?: 'active' | 'deactivated' },
    said: string,
  ): Promise<void> => {
    await app.api.client.PATCH('/v0/people/{id}', { params, body });
    app.announce(`${name}: ${said}`);
    await refresh();
  };
  const erase = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/people/{id}', { params });
    app.announce('Erased');
    await refresh();
  };
  const close = () => setOpen(null);
  const isSelf = id === app.session.person?.id;
  const isActive = state === 'active';
  return (
    <>
      <div class="buttons">
        {isActive && !isSelf && (
          <button type="button" onClick={() => setOpen('link')}>
            Make a sign-in link…
          </button>
        )}
        <ActionButton
          action={action}
          work={() => change({ operator: !operator }, operator ? 'no operator any more' : 'operator')}
        >
          {isSelf ? 'Stop running the installation' : `Let them run the installation${operator ? ' no more' : ''}`}
        </ActionButton>
        {isActive ? (
          <button type="button" onClick={() => setOpen('deactivate')}>
            Deactivate…
          </button>
        ) : (
          <ActionButton action={action} work={() => change({ state: 'active' }, 'active')}>
            Activate
          </ActionButton>
        )}
        <button type="button" class="danger" onClick={() => setOpen('erase')}>
          Erase…
        </button>
      </div>
      <ProblemNote problem={action.problem} />
      {open === 'link' && <SignInLink person={person} close={close} />}
      {open === 'deactivate' && (
        <ConfirmDialog
          title={`Deactivate ${name}?`}
          button="Deactivate"
          close={close}
          work={() => change({ state: 'deactivated' }, 'deactivated')}
        >
          <p>They are signed out everywhere at once, and their personal tokens end. Their memberships rest.</p>
        </ConfirmDialog>
      )}
      {open === 'erase' && (
        <ConfirmDialog title={`Erase ${name}?`} button="Erase person" close={close} work={erase}>
          <p>Name, address, passkeys, accounts, tokens and memberships are deleted for ever; only the ID stays.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
