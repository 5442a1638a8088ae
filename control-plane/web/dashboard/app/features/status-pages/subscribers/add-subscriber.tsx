import { useState } from 'preact/hooks';
import { CopyCode } from '../../../kit/copy-code.tsx';
import { useForm } from '../../../kit/form/form.tsx';
import { read } from '../../../session/api.ts';
import type { Component, StatusPage, Subscriber } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';

type AddProps = { page: StatusPage; components: readonly Component[]; refresh(): Promise<void> };
const empty = {
  channel: 'email' as Subscriber['channel'],
  address: '',
  consent: '',
  components: [] as readonly string[],
};
const channelChoices = [
  ['email', 'Email'],
  ['webhook', 'Webhook'],
  ['slack', 'Slack (incoming webhook)'],
  ['teams', 'Microsoft Teams (workflow)'],
] as const;

/** Adds one address. Without consent its owner is asked by an email; a webhook's secret is shown once. */
export function AddSubscriber({ page, components, refresh }: AddProps) {
  const app = useApp();
  const [added, setAdded] = useState<Subscriber | null>(null);
  const form = useForm(`subscriber of ${page.id}`, empty, async draft => {
    const params = { path: { id: page.id } };
    setAdded(await read(app.api.client.POST('/v0/status-pages/{id}/subscribers', { params, body: bodyOf(draft) })));
    form.reset();
    app.announce('Subscriber added');
    await refresh();
  });
  const isEmail = form.draft.channel === 'email';
  return (
    <section class="card">
      <h2>Add a subscriber</h2>
      <form.Form label="Add a subscriber">
        <div class="pair">
          <form.Choice name="channel" label="Channel" choices={channelChoices} />
          <form.Line
            name="address"
            at={isEmail ? 'email' : 'url'}
            label={isEmail ? 'Email address' : 'URL'}
            input={{ inputMode: isEmail ? 'email' : 'url', required: true, autocomplete: 'off' }}
          />
        </div>
        <form.Line
          name="consent"
          label="Consent"
          hint={
            isEmail
              ? 'How and when the person agreed. Left empty, the address gets an email to confirm first.'
              : 'How and when the recipient agreed. Optional.'
          }
          input={{ maxLength: 1000 }}
        />
        {components.length > 0 && (
          <details>
            <summary>Only some components</summary>
            <form.Many
              name="components"
              at="component_ids"
              legend="Notify about"
              choices={components.map(({ id, name }) => [id, name] as const)}
            />
          </details>
        )}
        <form.Footer submit="Add subscriber" />
      </form.Form>
      {added !== null && <Added subscriber={added} />}
    </section>
  );
}

function bodyOf({ channel, address, consent, components }: typeof empty) {
  return {
    channel,
    ...(channel === 'email' ? { email: address.trim() } : { url: address.trim() }),
    component_ids: [...components],
    consent: consent.trim() === '' ? null : consent.trim(),
  };
}

function Added({ subscriber: { email, url, state, secret } }: { subscriber: Subscriber }) {
  return (
    <div role="status">
      <p class="note">
        {email ?? url}{' '}
        {state === 'pending' ? 'was added and is asked to confirm by email.' : 'gets updates from now on.'}
      </p>
      {secret !== undefined && (
        <CopyCode
          label="Signing secret"
          code={secret}
          hint="It is shown only now. The receiver verifies messages with it."
        />
      )}
    </div>
  );
}
