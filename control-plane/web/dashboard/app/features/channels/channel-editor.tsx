import { useLayoutEffect, useState } from 'preact/hooks';
import { ActionButton, SubmitButton } from '../../kit/button.tsx';
import { Check, Line } from '../../kit/form/controlled.tsx';
import { readDraft, writeDraft } from '../../kit/form/drafts.ts';
import { Form } from '../../kit/form/form.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
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
      {!app.can('channels:write') && <p class="note">This token does not have permission to create channels.</p>}
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
      {!app.can('channels:write') && <p class="note">This token does not have permission to change channels.</p>}
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
  const action = useAction();
  const testing = useAction();
  const [start] = useState(given);
  const key = `channel ${channel?.id ?? `new ${start.type}`}`;
  const [draft, setDraft] = useState<ChannelDraft>(() => restored(key, start));
  const [tried, setTried] = useState<Tried | null>(null);
  const [created, setCreated] = useState<Channel | null>(null);
  useLayoutEffect(() => {
    const isChanged = JSON.stringify(draft) !== JSON.stringify(start);
    writeDraft(key, isChanged ? { channel: JSON.stringify(withoutSecrets(draft)) } : {});
  }, [draft]);
  const change = (changes: Partial<ChannelDraft>): void => {
    setDraft(before => ({ ...before, ...changes }));
    setTried(null);
  };
  const { client } = app.api;
  const save = async (): Promise<void> => {
    const saved =
      channel === null
        ? await read(client.POST('/v0/channels', { body: channelBody(draft) }))
        : await read(
            client.PATCH('/v0/channels/{id}', {
              params: { path: { id: channel.id } },
              body: channelChanges(start, draft),
            }),
          );
    writeDraft(key, {});
    app.announce(`${saved.name}: saved`);
    // The signing secret is in this answer alone.
    if (saved.secret !== undefined) setCreated(saved);
    else app.go(`#/channels/${saved.id}`);
  };
  const tryOut = async (): Promise<void> => {
    setTried(null);
    const { type, config } = channelBody(draft);
    const lender = channel === null ? {} : { channel_id: channel.id };
    const body = { type, config, ...lender } as ChannelTest;
    setTried(await read(client.POST('/v0/channels/test', { body })));
  };
  if (created !== null) return <Created channel={created} />;
  const { fields, about } = channelTypes[draft.type];
  const names = ['name', ...fields.map(({ name }) => `config/${name}`)];
  return (
    <Form
      label={channel === null ? 'New channel' : 'Edit channel'}
      class="editor"
      action={action}
      submit={async () => {
        testing.clear();
        await save();
      }}
    >
      <section class="card">
        <h2>{channelTypes[draft.type].label}</h2>
        <p class="hint">{about}.</p>
        <Line
          label="Name"
          name="name"
          action={action}
          value={draft.name}
          onText={name => change({ name })}
          input={{ maxLength: 100, placeholder: `${channelTypes[draft.type].label} on call` }}
        />
        {fields.map(field => (
          <ConfigField
            key={field.name}
            field={field}
            action={testing.problem === null ? action : testing}
            value={draft.config[field.name] ?? ''}
            stored={start.config[field.name] ?? ''}
            onText={text => change({ config: { ...draft.config, [field.name]: text } })}
          />
        ))}
        <Check
          label="Brief messages"
          hint="Only names, counts, times, the kind of failure and the status code."
          checked={draft.detail === 'brief'}
          onCheck={isBrief => change({ detail: isBrief ? 'brief' : 'full' })}
        />
        <Check label="Enabled" checked={draft.enabled} onCheck={enabled => change({ enabled })} />
      </section>
      <ProblemNote problem={action.problem} fields={names} />
      <ProblemNote problem={testing.problem} fields={names} />
      {tried !== null && <TestResult tried={tried} />}
      <div class="buttons sticky">
        <SubmitButton action={action}>{channel === null ? 'Create channel' : 'Save'}</SubmitButton>
        <ActionButton action={testing} work={tryOut}>
          Send a test
        </ActionButton>
        {back !== null && (
          <button type="button" onClick={back}>
            Other type
          </button>
        )}
        <a class="button" href={channel === null ? '#/channels' : `#/channels/${channel.id}`}>
          Cancel
        </a>
      </div>
    </Form>
  );
}

function restored(key: string, start: ChannelDraft): ChannelDraft {
  const { channel } = readDraft(key);
  if (channel === undefined) return start;
  const draft = JSON.parse(channel) as Partial<ChannelDraft>;
  return { ...start, ...draft, config: { ...start.config, ...draft.config } };
}
