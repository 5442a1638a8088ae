import { useState } from 'preact/hooks';
import { usualWebhookKinds, webhookKinds } from '#shared/webhook-kinds.ts';
import { ActionButton } from '../../kit/button.tsx';
import { CopyCode } from '../../kit/copy-code.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { type Form, useForm } from '../../kit/form/form.tsx';
import { alertKindChoices } from '../../kit/labels.ts';
import { read } from '../../session/api.ts';
import type { Webhook } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';

const dayOverlap = 86_400;

type WebhookDialogProps = { webhook: Webhook | null; close(): void; refresh(): Promise<void> };

function draftOf(webhook: Webhook | null) {
  const { url = '', kinds = [...usualWebhookKinds], alert_kinds = ['down'], enabled = true } = webhook ?? {};
  return { url, kinds, alert_kinds, enabled } satisfies Partial<Webhook>;
}

/** Creates a webhook of the project, or changes, rotates or deletes one. */
export function WebhookDialog({ webhook, close, refresh }: WebhookDialogProps) {
  const { client } = useApp().api;
  const [secret, setSecret] = useState<string | null>(null);
  const finish = async (saved: Webhook | null): Promise<void> => {
    // The secret is in the answer that made it alone.
    if (saved?.secret === undefined) close();
    else setSecret(saved.secret);
    await refresh();
  };
  const form = useForm(`webhook ${webhook?.id ?? 'new'}`, draftOf(webhook), async draft => {
    const body = { ...draft, url: draft.url.trim() };
    if (webhook === null) return finish(await read(client.POST('/v0/webhooks', { body })));
    await finish(await read(client.PATCH('/v0/webhooks/{id}', { params: { path: { id: webhook.id } }, body })));
  });
  if (secret !== null) return <SigningSecret secret={secret} close={close} />;
  return (
    <Dialog title={webhook === null ? 'New webhook' : 'Webhook'} close={close} class="wide">
      <form.Form>
        <form.Line name="url" label="URL" input={{ type: 'url', placeholder: 'https://ops.example.com/upquorum' }} />
        <form.Checks name="kinds" legend="Events" choices={webhookKinds.map(kind => [kind, kind] as const)} />
        <form.Checks name="alert_kinds" legend="Kinds of alerts" choices={alertKindChoices} />
        <form.Check name="enabled" label="Enabled" />
        <form.Footer submit={webhook === null ? 'Create webhook' : 'Save'} cancel={close}>
          {webhook !== null && <WebhookButtons id={webhook.id} form={form} finish={finish} />}
        </form.Footer>
      </form.Form>
    </Dialog>
  );
}

type ButtonsProps = {
  id: string;
  form: Pick<Form<unknown>, 'action' | 'reset'>;
  finish(saved: Webhook | null): Promise<void>;
};

function WebhookButtons({ id, form: { action, reset }, finish }: ButtonsProps) {
  const { client } = useApp().api;
  const params = { path: { id } };
  const rotate = async (): Promise<void> => {
    const body = { overlap_seconds: dayOverlap };
    const rotated = await read(client.POST('/v0/webhooks/{id}/rotate-secret', { params, body }));
    reset();
    await finish(rotated);
  };
  const remove = async (): Promise<void> => {
    await client.DELETE('/v0/webhooks/{id}', { params });
    reset();
    await finish(null);
  };
  return (
    <>
      <ActionButton action={action} work={rotate}>
        New signing secret
      </ActionButton>
      <ActionButton action={action} work={remove} class="danger">
        Delete
      </ActionButton>
    </>
  );
}

function SigningSecret({ secret, close }: { secret: string; close(): void }) {
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
}
