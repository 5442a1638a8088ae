import { useState } from 'preact/hooks';
import { Badge } from '../../kit/badge.tsx';
import type { LabelledPresentation } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { Ago, At } from '../../kit/time.tsx';
import type { Token } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { NewToken } from './new-token.tsx';
import { RevokeToken } from './revoke-token.tsx';
import { RotateToken } from './rotate-token.tsx';
import { describeScopes, tokenState } from './scopes.ts';
import { SettingSections } from './sections.tsx';

const tokensMax = 1000;
const columns = ['Name', 'State', 'Scopes', 'Last used', 'Expires', 'Actions'];
const looks = {
  active: { tone: 'good', glyph: 'check', label: 'Active' },
  expired: { tone: 'quiet', glyph: 'bars', label: 'Expired' },
  revoked: { tone: 'quiet', glyph: 'cross', label: 'Revoked' },
} satisfies Record<ReturnType<typeof tokenState>, LabelledPresentation>;

/** Tokens of the API: list, create, rotate, revoke. */
export function Tokens() {
  const app = useApp();
  const [open, setOpen] = useState<'new' | { act: 'rotate' | 'revoke'; token: Token } | null>(null);
  const [showsAll, setShowsAll] = useState(false);
  const load = useLoad(
    '',
    async () => {
      const tokens = await readAll(query => app.api.client.GET('/v0/tokens', { params: { query } }), tokensMax);
      return { tokens, names: await namesOf(app, tokens) };
    },
    15_000,
  );
  const tokens = load.value?.tokens ?? [];
  const active = tokens.filter(token => tokenState(token, app.now.value) === 'active');
  const shown = showsAll ? tokens : active;
  const close = () => setOpen(null);
  const refresh = (): void => void load.refresh();
  const canWrite = app.can('tokens:write');
  return (
    <Page
      title="API tokens"
      crumbs={[{ label: 'Settings', address: '#/settings' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      actions={
        canWrite && (
          <button type="button" class="primary" onClick={() => setOpen('new')}>
            New token
          </button>
        )
      }
    >
      <SettingSections />
      <section class="card">
        <div class="card-head">
          <h2>{showsAll ? 'All tokens' : 'Active tokens'}</h2>
          {tokens.length > active.length && (
            <label class="box">
              <input type="checkbox" checked={showsAll} onChange={() => setShowsAll(!showsAll)} />
              <span>Show revoked and expired</span>
            </label>
          )}
        </div>
        <table class="tokens">
          <caption class="unseen">API tokens, newest first</caption>
          <thead>
            <tr>
              {columns.map(name => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(token => (
              <Row
                key={token.id}
                token={token}
                owner={token.person_id === null ? null : (load.value?.names.get(token.person_id) ?? token.person_id)}
                canWrite={canWrite}
                act={act => setOpen({ act, token })}
              />
            ))}
          </tbody>
        </table>
      </section>
      {open === 'new' && <NewToken close={close} onChange={refresh} />}
      {open !== null && open !== 'new' && open.act === 'rotate' && (
        <RotateToken token={open.token} tokens={tokens} close={close} onChange={refresh} />
      )}
      {open !== null && open !== 'new' && open.act === 'revoke' && (
        <RevokeToken token={open.token} tokens={tokens} close={close} onChange={refresh} />
      )}
    </Page>
  );
}

/** The names of the people whose tokens these are, where the session may read them. */
async function namesOf({ api, can }: App, tokens: readonly Token[]): Promise<ReadonlyMap<string, string>> {
  if (!can('members:read') || tokens.every(({ person_id }) => person_id === null)) return new Map();
  const members = await readAll(query => api.client.GET('/v0/members', { params: { query } }), tokensMax);
  return new Map(members.map(({ person_id, name }) => [person_id, name]));
}

type RowProps = {
  token: Token;
  /** Whose personal token it is; null for one of the project. */
  owner: string | null;
  canWrite: boolean;
  act(act: 'rotate' | 'revoke'): void;
};

function Row({ token, owner, canWrite, act }: RowProps) {
  const { now, session } = useApp();
  const { created_at, expires_at, id, last_used_at, name, person_id, scopes } = token;
  const state = tokenState(token, now.value);
  return (
    <tr data-row>
      <td data-label="Name">
        <strong>{name}</strong>
        {id === session.token_id && <span class="tag">this session</span>}
        {person_id !== null && <span class="tag">personal</span>}
        <br />
        <small class="hint">
          <code>{id}</code>, created <Ago at={created_at} />
          {owner !== null && ` by ${owner}`}
        </small>
      </td>
      <td data-label="State">
        <Badge state={looks[state]} />
      </td>
      <td data-label="Scopes" class="scopes">
        {describeScopes(scopes)}
      </td>
      <td data-label="Last used">{last_used_at === null ? 'never' : <Ago at={last_used_at} />}</td>
      <td data-label="Expires">{expires_at === null ? 'never' : <At at={expires_at} />}</td>
      <td data-label="Actions">
        {canWrite && state === 'active' && (
          <>
            {person_id === null && (
              <button type="button" aria-label={`Rotate ${name}`} onClick={() => act('rotate')}>
                Rotate…
              </button>
            )}{' '}
            <button type="button" class="danger" aria-label={`Revoke ${name}`} onClick={() => act('revoke')}>
              Revoke…
            </button>
          </>
        )}
      </td>
    </tr>
  );
}
