import { useState } from 'preact/hooks';
import { read } from '../../data/server/api.ts';
import type { Component, StatusPage, Subscriber } from '../../data/server/api-types.ts';
import { SubmitButton } from '../../parts/button.tsx';
import { CopyCode } from '../../parts/copy-code.tsx';
import { Choose, Line } from '../../parts/form/controlled.tsx';
import { Form } from '../../parts/form/form.tsx';
import { PickMany } from '../../parts/form/pick-many.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';
import { useDraft } from '../../state/use-draft.ts';

type AddProps = { page: StatusPage; components: readonly Component[]; refresh(): Promise<void> };
const empty = {
  channel: 'email' as Subscriber['channel'],
  address: '',
  consent: '',
  components: [] as readonly string[],
};

/** Adds one address. Without consent its owner is asked by an email; a webhook's secret is shown once. */
export function AddSubscriber({ page, components, refresh }: AddProps) {
  const app = useApp();
  const action = useAction();
  const { draft, change } = useDraft(`subscriber of ${page.id}`, empty);
  const [added, setAdded] = useState<Subscriber | null>(null);
  const isEmail = draft.channel === 'email';
  const add = async (): Promise<void> => {
    const consent = draft.consent.trim() === '' ? null : draft.consent.trim();
    const address = draft.address.trim();
    const body = {
      channel: draft.channel,
      ...(isEmail ? { email: address } : { url: address }),
      component_ids: [...draft.components],
      consent,
    };
    const subscriber = await read(
      app.api.client.POST('/v0/status-pages/{id}/subscribers', { params: { path: { id: page.id } }, body }),
    );
    setAdded(subscriber);
    change(empty);
    app.announce('Subscriber added');
    await refresh();
  };
  return (
    <section class="card">
      <h2>Add a subscriber</h2>
      <Form label="Add a subscriber" action={action} submit={add}>
        <div class="pair">
          <Choose
            label="Channel"
            name="channel"
            action={action}
            value={draft.channel}
            onText={channel => change({ channel: channel as Subscriber['channel'] })}
            choices={[
              ['email', 'Email'],
              ['webhook', 'Webhook'],
              ['slack', 'Slack (incoming webhook)'],
              ['teams', 'Microsoft Teams (workflow)'],
            ]}
          />
          <Line
            label={isEmail ? 'Email address' : 'URL'}
            name={isEmail ? 'email' : 'url'}
            action={action}
            value={draft.address}
            onText={address => change({ address })}
            input={{ inputMode: isEmail ? 'email' : 'url', required: true, autocomplete: 'off' }}
          />
        </div>
        <Line
          label="Consent"
          name="consent"
          action={action}
          value={draft.consent}
          onText={consent => change({ consent })}
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
            <PickMany
              legend="Notify about"
              choices={components.map(({ id, name }) => [id, name] as const)}
              picked={draft.components}
              onChange={picked => change({ components: picked })}
            />
          </details>
        )}
        <ProblemNote problem={action.problem} fields={['channel', 'email', 'url', 'consent']} />
        <div class="buttons">
          <SubmitButton action={action}>Add subscriber</SubmitButton>
        </div>
      </Form>
      {added !== null && <Added subscriber={added} />}
    </section>
  );
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
