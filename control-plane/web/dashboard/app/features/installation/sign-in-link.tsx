import { useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { CopyCode } from '../../kit/copy-code.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Person } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';

/** Makes a link with which a person signs in once, and shows it once. */
export function SignInLink({ person: { id, name }, close }: { person: Person; close(): void }) {
  const { api } = useApp();
  const action = useAction();
  const [url, setUrl] = useState<string | null>(null);
  const make = async (): Promise<void> => {
    setUrl((await read(api.client.POST('/v0/people/{id}/link', { params: { path: { id } } }))).url);
  };
  return (
    <Dialog title={`A sign-in link for ${name}`} close={close} isSticky={url !== null}>
      <p class="note">
        Whoever has the link is {name}, once, within a day. It is shown only when it is made: hand it over safely.
      </p>
      {url !== null && <CopyCode label="Link" code={url} />}
      <ProblemNote problem={action.problem} />
      <div class="buttons">
        {url === null && (
          <ActionButton class="primary" action={action} work={make}>
            Make link
          </ActionButton>
        )}
        <button type="button" onClick={close}>
          {url === null ? 'Cancel' : 'Done'}
        </button>
      </div>
    </Dialog>
  );
}
