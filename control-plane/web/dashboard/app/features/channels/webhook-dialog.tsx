import { useState } from 'preact/hooks';
import { ActionButton, SubmitButton } from '../../kit/button.tsx';
import { CopyCode } from '../../kit/copy-code.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Check, Checks, Line } from '../../kit/form/controlled.tsx';
import { Form } from '../../kit/form/form.tsx';
import { useDraft } from '../../kit/form/use-draft.ts';
import { alertKindChoices } from '../../kit/labels.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Webhook } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';

const kinds: readonly Webhook['kinds'][number][] = [
  'alert.opened',
  'alert.acknowledged',
  'alert.escalated',
  'alert.resolved',
  'incident.opened',
  'incident.updated',
  'incident.resolved',
  'alert.held',
  'alert.updated',
  'maintenance.scheduled',
  'maintenance.changed',
  'maintenance.started',
  'maintenance.updated',
  'maintenance.ended',
  'maintenance.cancelled',
  'notice.opened',
  'notice.closed',
];
/** What the API takes by default. */
const usualKinds = kinds.slice(0, 7);
const dayOverlap = 86_400;

type WebhookDialogProps = { webhook: Webhook | null; close(): void; refresh(): Promise<void> };

function draftOf(webhook: Webhook | null) {
  const { url = '', kinds = usualKinds, alert_kinds = ['down'], enabled = true } = webhook ?? {};
  return { url, kinds, alert_kinds, enabled } satisfies Partial<Webhook>;
}

/** Creates a webhook of the project, or changes, rotates or deletes one. */
export function WebhookDialog({ webhook, close, refresh }: WebhookDialogProps) {
  const { api } = useApp();
  const { client } = api;
  const action = useAction();
  const { draft, change, discard } = useDraft(`webhook ${webhook?.id ?? 'new'}`, draftOf(webhook));
  const [secret, setSecret] = useState<string | null>(null);
  const finish = async (saved: Webhook | null): Promise<void> => {
    discard();
    // The secret is in the answer that made it alone.
    if (saved?.secret === undefined) close();
    else setSecret(saved.secret);
    await refresh();
  };
  const save = async (): Promise<void> => {
    const body = { ...draft, url: draft.url.trim() };
    if (webhook === null) return finish(await read(client.POST('/v0/webhooks', { body })));
    await finish(await read(client.PATCH('/v0/webhooks/{id}', { params: { path: { id: webhook.id } }, body })));
  };
  const rotate = async (id: string): Promise<void> => {
    const options = { params: { path: { id } }, body: { overlap_seconds: dayOverlap } };
    await finish(await read(client.POST('/v0/webhooks/{id}/rotate-secret', options)));
  };
  const remove = async (id: string): Promise<void> => {
    await client.DELETE('/v0/webhooks/{id}', { params: { path: { id } } });
    await finish(null);
  };
  const cancel = () => {
    discard();
    close();
  };
  if (secret !== null)
    return (
      <Dialog title="The signing secret" close={close} isSticky>
        <CopyCode label="It signs each message" hint="Store it now: it is not shown again." code={secret} />
        <div class="buttons">
          <button type="button" class="primary" onClick={close}>
            I’ve saved it
          </button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={webhook === null ? 'New webhook' : 'Webhook'} close={close} class="wide">
      <Form action={action} submit={save}>
        <Line
          label="URL"
          name="url"
          action={action}
          value={draft.url}
          onText={url => change({ url })}
          input={{ type: 'url', placeholder: 'https://ops.example.com/upquorum' }}
        />
        <Checks
          legend="Events"
          choices={kinds.map(kind => [kind, kind] as const)}
          checked={draft.kinds}
          onChange={kinds => change({ kinds })}
        />
        <Checks
          legend="Kinds of alerts"
          choices={alertKindChoices}
          checked={draft.alert_kinds}
          onChange={alert_kinds => change({ alert_kinds })}
        />
        <Check label="Enabled" checked={draft.enabled} onCheck={enabled => change({ enabled })} />
        <ProblemNote problem={action.problem} fields={['url']} />
        <div class="buttons">
          <SubmitButton action={action}>{webhook === null ? 'Create webhook' : 'Save'}</SubmitButton>
          {webhook !== null && (
            <>
              <ActionButton action={action} work={() => rotate(webhook.id)}>
                New signing secret
              </ActionButton>
              <ActionButton action={action} work={() => remove(webhook.id)} class="danger">
                Delete
              </ActionButton>
            </>
          )}
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
