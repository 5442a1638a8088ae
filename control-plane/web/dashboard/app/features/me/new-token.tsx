import { useState } from 'preact/hooks';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { read } from '../../session/api.ts';
import type { Token } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { can as canWith } from '../../session/session.ts';
import { MadeToken } from '../settings/made-token.tsx';
import { ScopePicker } from '../settings/scope-picker.tsx';
import { levelsOfScopes, presets, scopesOfLevels, within } from '../settings/scopes.ts';

const dayMs = 86_400_000;
const expiryChoices = [
  ['90', 'in 90 days'],
  ['30', 'in 30 days'],
  ['7', 'in a week'],
  ['365', 'in a year'],
] as const;

type NewOwnTokenProps = {
  name: string;
  /** Scopes that are asked for, separated by commas; null for the usual ones. */
  scopes: string | null;
  close(): void;
  refresh(): Promise<void>;
};

/** Makes a token of one's own, within the role in the project, and shows its secret once. */
export function NewOwnToken({ name, scopes, close, refresh }: NewOwnTokenProps) {
  const { api, session } = useApp();
  const { projects } = session;
  const [made, setMade] = useState<Token | null>(null);
  const canIn = (id: string) => {
    const own = projects.find(project => project.id === id)?.scopes ?? [];
    return (scope: string) => canWith({ scopes: own }, scope);
  };
  const project = session.project?.id ?? projects[0]?.id ?? '';
  const wanted = scopes === null ? (presets[0]?.[2] ?? {}) : levelsOfScopes(scopes.split(','));
  const start = { name: name.slice(0, 200), project, expiry: '90', levels: within(wanted, canIn(project)) };
  const form = useForm(null, start, async draft => {
    const expires_at = new Date(api.nowMs() + Number(draft.expiry) * dayMs).toISOString();
    // The picker offers scopes that the API knows.
    const chosen = scopesOfLevels(within(draft.levels, canIn(draft.project))) as never[];
    const body = { project_id: draft.project, name: draft.name.trim(), scopes: chosen, expires_at };
    setMade(await read(api.client.POST('/v0/me/tokens', { body })));
    await refresh();
  });
  const { draft, change } = form;
  const can = canIn(draft.project);
  const levels = within(draft.levels, can);
  const hasScope = scopesOfLevels(levels).length > 0;
  if (made !== null) return <MadeToken token={made} close={close} />;
  return (
    <Dialog title="New personal token" close={close} class="wide">
      <form.Form>
        <form.Line name="name" label="Name" input={{ maxLength: 200, placeholder: 'command line on my laptop' }} />
        <div class="pair">
          <form.Choice
            name="project"
            at="project_id"
            label="Project"
            choices={projects.map(own => [own.id, own.name] as const)}
          />
          <form.Choice name="expiry" at="expires_at" label="Expires" choices={expiryChoices} />
        </div>
        <ScopePicker levels={levels} can={can} choose={next => change({ levels: next })} />
        {!hasScope && <p class="hint">Choose at least one scope.</p>}
        <form.Footer submit="Create token" disabled={!hasScope} cancel={close} />
      </form.Form>
    </Dialog>
  );
}
