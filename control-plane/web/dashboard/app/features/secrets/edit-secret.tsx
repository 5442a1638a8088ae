import { Dialog } from '../../kit/dialog/dialog.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { mask } from '../../kit/form/mask.ts';
import { read } from '../../session/api.ts';
import type { Secret } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { hostsIn } from './hosts-in.ts';

type Given = Pick<Secret, 'value' | 'description' | 'hosts'>;
type Props = { secret: Secret | null; close(): void; refresh(): Promise<void> };

/** Creates a secret, or changes one; a value that is not replaced stays. */
export function EditSecret({ secret, close, refresh }: Props) {
  const app = useApp();
  const draft = {
    name: secret?.name ?? '',
    value: secret === null ? '' : mask,
    description: secret?.description ?? '',
    hosts: secret?.hosts?.join(', ') ?? '',
  };
  // What was typed is not stored: it holds a secret.
  const form = useForm(null, draft, async ({ name, value, description, hosts: text }) => {
    const given = { value, description: description.trim(), hosts: hostsIn(text) };
    const { client } = app.api;
    if (secret === null) await read(client.POST('/v0/secrets', { body: { name: name.trim(), ...given } }));
    else {
      const params = { path: { id: secret.id } };
      await read(client.PATCH('/v0/secrets/{id}', { params, ...changesOf(secret, given) }));
    }
    app.announce(`${secret?.name ?? name.trim()}: saved`);
    await refresh();
    close();
  });
  const title = secret === null ? 'New secret' : `Edit ${secret.name}`;
  return (
    <Dialog title={title} close={close}>
      <form.Form label={title}>
        {secret === null && (
          <form.Line
            name="name"
            label="Name"
            hint="Capital letters, digits and underscores."
            input={{ required: true, maxLength: 64, placeholder: 'SHOP_TOKEN' }}
          />
        )}
        <form.Sealed
          name="value"
          label="Value"
          hint="At least 8 characters. It is never shown again."
          isStored={secret !== null}
          rows={3}
        />
        <form.Line name="description" label="Description" input={{ maxLength: 500 }} />
        <form.Line
          name="hosts"
          label="Only for these hosts"
          hint="Separated by commas; empty for all. Others cannot be sent the value, whoever changes monitors."
          input={{ placeholder: 'api.example.com, *.example.com' }}
        />
        <form.Footer submit={secret === null ? 'Create secret' : 'Save'} cancel={close} />
      </form.Form>
    </Dialog>
  );
}

/**
 * What was changed alone: a dialog that stood open would undo what others narrowed meanwhile. Hosts that were changed
 * on both sides are refused.
 */
function changesOf(secret: Secret, { value, description, hosts }: Given) {
  const movesHosts = JSON.stringify(hosts) !== JSON.stringify(secret.hosts);
  return {
    body: {
      ...(value === mask ? {} : { value }),
      ...(description === secret.description ? {} : { description }),
      ...(movesHosts ? { hosts } : {}),
    },
    headers: movesHosts ? { 'If-Match': secret.updated_at } : {},
  };
}
