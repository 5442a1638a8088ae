import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Ago, At } from '../../kit/time.tsx';
import type { Token } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useQuery } from '../../session/query.ts';
import { describeScopes, tokenState } from '../settings/scopes.ts';
import { NewOwnToken } from './new-token.tsx';

type TokensProps = { tokens: readonly Token[]; refresh(): Promise<void> };

/** One's own tokens of all projects: make, revoke. `?new=NAME&scopes=a:read,b:write` opens the form filled in. */
export function OwnTokens({ tokens, refresh }: TokensProps) {
  const { now, session } = useApp();
  const [query, setQuery] = useQuery();
  const wanted = query.get('new');
  const [open, setOpen] = useState<'new' | Token | null>(wanted === null ? null : 'new');
  const close = () => {
    setOpen(null);
    setQuery({ new: '', scopes: '' });
  };
  const active = tokens.filter(token => tokenState(token, now.value) === 'active');
  const canMake = session.projects.length > 0;
  return (
    <section>
      <h2>Personal tokens</h2>
      <p class="hint">
        For your programs and the command line: a token does in its project what it was given, as far as your role
        allows it, and ends when you leave.
      </p>
      <ul class="cards" aria-label="Personal tokens">
        {active.map(token => (
          <Row key={token.id} token={token} revoke={() => setOpen(token)} />
        ))}
      </ul>
      {canMake && (
        <div class="buttons">
          <button type="button" onClick={() => setOpen('new')}>
            New personal token
          </button>
        </div>
      )}
      {open === 'new' && canMake && (
        <NewOwnToken name={wanted ?? ''} scopes={query.get('scopes')} close={close} refresh={refresh} />
      )}
      {open !== null && open !== 'new' && <Revoke token={open} close={close} refresh={refresh} />}
    </section>
  );
}

function Row({ token, revoke }: { token: Token; revoke(): void }) {
  const { session } = useApp();
  const { name, project_id, scopes, last_used_at, expires_at } = token;
  const project = session.projects.find(own => own.id === project_id)?.name ?? project_id;
  return (
    <li class="card row wall-row" data-row>
      <div class="what">
        <strong>{name}</strong>
        <span class="hint">
          {project} · {describeScopes(scopes)}
        </span>
      </div>
      <span class="hint">
        {last_used_at === null ? 'never used' : ['used ', <Ago key="used" at={last_used_at} />]}
        {expires_at !== null && [' · ends ', <At key="ends" at={expires_at} />]}
      </span>
      <div class="do">
        <button type="button" class="quiet" aria-label={`Revoke ${name}`} onClick={revoke}>
          Revoke…
        </button>
      </div>
    </li>
  );
}

function Revoke({ token, close, refresh }: { token: Token; close(): void; refresh(): Promise<void> }) {
  const app = useApp();
  const work = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/me/tokens/{id}', { params: { path: { id: token.id } } });
    app.announce(`${token.name}: revoked`);
    await refresh();
  };
  return (
    <ConfirmDialog title={`Revoke ${token.name}?`} button="Revoke token" close={close} work={work}>
      <p>What uses it stops working at once, and so do the tokens that it made.</p>
    </ConfirmDialog>
  );
}
