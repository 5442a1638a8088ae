import { useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { Check } from '../../kit/form/controls.tsx';
import type { Fields } from '../../kit/form/fields.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { Page } from '../../kit/page.tsx';
import { read } from '../../session/api.ts';
import type { Channel, ChannelTest } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import {
  type ChannelDraft,
  channelBody,
  channelChanges,
  draftOfChannel,
  newChannel,
  withoutSecrets,
} from './channel-draft.ts';
import { type ChannelType, channelTypeNames, channelTypes } from './channel-fields.ts';
import { ConfigField } from './config-field.tsx';
import { Created } from './created.tsx';
import { TestResult, type Tried } from './test-result.tsx';

const crumb = { label: 'Channels and routes', address: '#/channels' };
const loaded = { asOf: 0, error: null };

/** Creates a channel, once its type is chosen. */
export function NewChannel() {
  const app = useApp();
  const [query, setQuery] = useQuery();
  const type = channelTypeNames.find(each => each === query.get('type')) ?? null;
  const title = type === null ? 'New channel' : `New channel: ${channelTypes[type].label}`;
  return (
    <Page title={title} crumbs={[crumb]} freshness={loaded}>
      {!app.can('channels:write') && <p class="note">You do not have permission to create channels.</p>}
      {app.can('channels:write') && type === null && <Types choose={chosen => setQuery({ type: chosen })} />}
      {app.can('channels:write') && type !== null && (
        <Editor key={type} channel={null} start={newChannel(type)} back={() => setQuery({ type: '' })} />
      )}
    </Page>
  );
}

export function EditChannel({ id }: { id: string }) {
  const app = useApp();
  const load = useLoad(id, () => readChannel(app, id), 60_000);
  const name = load.value?.name ?? 'channel';
  const crumbs = [crumb, { label: name, address: `#/channels/${id}` }];
  return (
    <Page title={`Edit ${name}`} crumbs={crumbs} freshness={load.freshness} refresh={load.refresh}>
      {!app.can('channels:write') && <p class="note">You do not have permission to change channels.</p>}
      {app.can('channels:write') && load.value !== null && (
        <Editor channel={load.value} start={draftOfChannel(load.value)} back={null} />
      )}
    </Page>
  );
}

function readChannel({ api }: App, id: string): Promise<Channel> {
  return read(api.client.GET('/v0/channels/{id}', { params: { path: { id } } }));
}

function Types({ choose }: { choose(type: ChannelType): void }) {
  return (
    <ul class="tiles">
      {channelTypeNames.map(type => (
        <li key={type}>
          <button type="button" class="tile" onClick={() => choose(type)}>
            <strong>{channelTypes[type].label}</strong>
            <span class="hint">{channelTypes[type].about}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

type EditorProps = { channel: Channel | null; start: ChannelDraft; back: (() => void) | null };

function Editor({ channel, start: given, back }: EditorProps) {
  const app = useApp();
  const { client } = app.api;
  const [start] = useState(given);
  const [tried, setTried] = useState<{ draft: ChannelDraft; answer: Tried } | null>(null);
  const [created, setCreated] = useState<Channel | null>(null);
  const save = async (draft: ChannelDraft): Promise<void> => {
    const body = channelChanges(start, draft);
    const saved =
      channel === null
        ? await read(client.POST('/v0/channels', { body: channelBody(draft) }))
        : await read(client.PATCH('/v0/channels/{id}', { params: { path: { id: channel.id } }, body }));
    app.announce(`${saved.name}: saved`);
    // The signing secret is in this answer alone.
    if (saved.secret !== undefined) setCreated(saved);
    else app.go(`#/channels/${saved.id}`);
  };
  const form = useForm(`channel ${channel?.id ?? `new ${start.type}`}`, start, save, withoutSecrets(start));
  const { draft } = form;
  const tryOut = async (): Promise<void> => {
    setTried(null);
    const { type, config } = channelBody(draft);
    const lender = channel === null ? {} : { channel_id: channel.id };
    const body = { type, config, ...lender } as ChannelTest;
    setTried({ draft, answer: await read(client.POST('/v0/channels/test', { body })) });
  };
  if (created !== null) return <Created channel={created} />;
  return (
    <form.Form label={channel === null ? 'New channel' : 'Edit channel'} class="editor">
      <ChannelFields form={form} stored={start.config} />
      {tried?.draft === draft && <TestResult tried={tried.answer} />}
      <form.Footer
        class="sticky"
        submit={channel === null ? 'Create channel' : 'Save'}
        cancel={channel === null ? '#/channels' : `#/channels/${channel.id}`}
      >
        <ActionButton action={form.action} work={tryOut}>
          Send a test
        </ActionButton>
        {back !== null && (
          <button type="button" onClick={back}>
            Other type
          </button>
        )}
      </form.Footer>
    </form.Form>
  );
}

function ChannelFields({ form, stored }: { form: Fields<ChannelDraft>; stored: ChannelDraft['config'] }) {
  const { draft, change } = form;
  const { label, about, fields } = channelTypes[draft.type];
  return (
    <section class="card">
      <h2>{label}</h2>
      <p class="hint">{about}.</p>
      <form.Line name="name" label="Name" input={{ maxLength: 100, placeholder: `${label} on call` }} />
      {fields.map(field => (
        <ConfigField key={field.name} form={form.part('config')} field={field} stored={stored[field.name] ?? ''} />
      ))}
      <Check
        label="Brief messages"
        hint="Only names, counts, times, the kind of failure and the status code."
        checked={draft.detail === 'brief'}
        onCheck={isBrief => change({ detail: isBrief ? 'brief' : 'full' })}
      />
      <form.Check name="enabled" label="Enabled" />
    </section>
  );
}
