import { useState } from 'preact/hooks';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { read } from '../../session/api.ts';
import type { Token } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { MadeToken } from './made-token.tsx';
import { ScopePicker } from './scope-picker.tsx';
import { presets, scopesOfLevels, within } from './scopes.ts';

const dayMs = 86_400_000;
const expiryChoices = [
  ['90', 'in 90 days'],
  ['30', 'in 30 days'],
  ['365', 'in a year'],
  ['', 'never, or with your own token'],
] as const;

/** Makes a token with chosen scopes, and shows its secret once. */
export function NewToken({ close, onChange }: { close(): void; onChange(): void }) {
  const app = useApp();
  const [made, setMade] = useState<Token | null>(null);
  const start = { name: '', expiry: '90', levels: within(presets[0]?.[2] ?? {}, app.can) };
  const form = useForm('new token', start, async ({ name, expiry, levels }) => {
    const days = Number(expiry);
    const until = days === 0 ? {} : { expires_at: new Date(app.api.nowMs() + days * dayMs).toISOString() };
    setMade(await createToken(app, { name: name.trim(), scopes: scopesOfLevels(levels), ...until }));
    onChange();
  });
  const { draft, change } = form;
  const hasScope = scopesOfLevels(draft.levels).length > 0;
  if (made !== null) return <MadeToken token={made} close={close} />;
  return (
    <Dialog title="New token" close={close} class="wide">
      <form.Form>
        <div class="pair">
          <form.Line name="name" label="Name" input={{ maxLength: 200, placeholder: 'who or what uses it' }} />
          <form.Choice name="expiry" at="expires_at" label="Expires" choices={expiryChoices} />
        </div>
        <ScopePicker levels={draft.levels} can={app.can} choose={levels => change({ levels })} />
        {!hasScope && <p class="hint">Choose at least one scope.</p>}
        <form.Footer submit="Create token" disabled={!hasScope} cancel={close} />
      </form.Form>
    </Dialog>
  );
}

type NewTokenBody = { name: string; scopes: readonly string[]; expires_at?: string | null };

/** The secret is in this answer alone. */
export function createToken({ api }: App, body: NewTokenBody): Promise<Token> {
  // The scopes come from the picker or from another token: the API knows them all.
  return read(api.client.POST('/v0/tokens', { body: body as never }));
}
