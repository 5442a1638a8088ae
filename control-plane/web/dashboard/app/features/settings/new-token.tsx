import { useState } from 'preact/hooks';
import { SubmitButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Choose, Line } from '../../kit/form/controlled.tsx';
import { Form } from '../../kit/form/form.tsx';
import { useDraft } from '../../kit/form/use-draft.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Token } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { MadeToken } from './made-token.tsx';
import { ScopePicker } from './scope-picker.tsx';
import { type Level, presets, scopesOfLevels, within } from './scopes.ts';

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
  const action = useAction();
  const start = { name: '', expiry: '90', levels: within(presets[0]?.[2] ?? {}, app.can) };
  const { draft, change, discard } = useDraft<typeof start>('new token', start);
  const { levels } = draft;
  const [made, setMade] = useState<Token | null>(null);
  const scopes = scopesOfLevels(levels);
  const create = async (): Promise<void> => {
    const days = Number(draft.expiry);
    const expiry = days === 0 ? {} : { expires_at: new Date(app.api.nowMs() + days * dayMs).toISOString() };
    setMade(await createToken(app, { name: draft.name.trim(), scopes, ...expiry }));
    discard();
    onChange();
  };
  const cancel = () => {
    discard();
    close();
  };
  if (made !== null) return <MadeToken token={made} close={close} />;
  return (
    <Dialog title="New token" close={close} class="wide">
      <Form action={action} submit={create}>
        <div class="pair">
          <Line
            label="Name"
            name="name"
            action={action}
            value={draft.name}
            onText={name => change({ name })}
            input={{ maxLength: 200, placeholder: 'who or what uses it' }}
          />
          <Choose
            label="Expires"
            name="expiry"
            action={action}
            value={draft.expiry}
            onText={expiry => change({ expiry })}
            choices={expiryChoices}
          />
        </div>
        <ScopePicker
          levels={levels}
          can={app.can}
          choose={(resource: string, level: Level) => change({ levels: { ...levels, [resource]: level } })}
          preset={preset => change({ levels: preset })}
        />
        {scopes.length === 0 && <p class="hint">Choose at least one scope.</p>}
        <ProblemNote problem={action.problem} fields={['name']} />
        <div class="buttons">
          <SubmitButton action={action} disabled={scopes.length === 0}>
            Create token
          </SubmitButton>
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  );
}

type NewTokenBody = { name: string; scopes: readonly string[]; expires_at?: string | null };

/** The secret is in this answer alone. */
export function createToken({ api }: App, body: NewTokenBody): Promise<Token> {
  // The scopes come from the picker or from another token: the API knows them all.
  return read(api.client.POST('/v0/tokens', { body: body as never }));
}
