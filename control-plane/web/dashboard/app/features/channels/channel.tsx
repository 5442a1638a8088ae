import { useState } from 'preact/hooks';
import { Badge } from '../../kit/badge.tsx';
import { ActionButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { Ago } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import { ApiProblem, read } from '../../session/api.ts';
import type { Channel as ChannelData, Route } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { channelTypes } from './channel-fields.ts';
import { channelState, routesOf } from './channel-list.tsx';
import { Deliveries } from './deliveries.tsx';
import { TestResult, type Tried } from './test-result.tsx';

type Loaded = { channel: ChannelData; routes: readonly Route[] };

/** One channel: its health, who uses it, and what was sent there. */
export function Channel({ id }: { id: string }) {
  const app = useApp();
  const load = useLoad<Loaded>(id, () => readLoaded(app, id), 5000);
  const [tried, setTried] = useState<Tried | null>(null);
  const { client } = app.api;
  const channel = load.value?.channel;
  return (
    <Page
      title={channel?.name ?? 'Channel'}
      crumbs={[{ label: 'Channels and routes', address: '#/channels' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      managedBy={channel?.managed_by}
      actions={load.value !== null && app.can('channels:write') && <Actions {...load.value} show={setTried} />}
    >
      {load.value !== null && (
        <>
          {tried !== null && <TestResult tried={tried} />}
          <Health {...load.value} />
          <Deliveries
            id={id}
            list={query => read(client.GET('/v0/channels/{id}/deliveries', { params: { path: { id }, query } }))}
            empty="Nothing has been sent to this channel yet."
          />
        </>
      )}
    </Page>
  );
}

async function readLoaded({ api, can }: App, id: string): Promise<Loaded> {
  const [channel, routes] = await Promise.all([
    read(api.client.GET('/v0/channels/{id}', { params: { path: { id } } })),
    can('routes:read') ? readAll(query => api.client.GET('/v0/routes', { params: { query } })) : [],
  ]);
  return { channel, routes };
}

function Health({ channel, routes }: Loaded) {
  const state = channelState(channel);
  const { type, detail, unconfirmed, last_sent_at, last_error } = channel;
  const using = routesOf(channel.id, routes);
  return (
    <section class={`card ${state.tone}`}>
      <div class="state">
        <Badge state={state} />
        <span>{channelTypes[type]?.label ?? type}</span>
      </div>
      {unconfirmed.length > 0 && (
        <p class="note">
          Waiting for confirmation: {unconfirmed.join(', ')}. Messages to them are held until they open the link in the
          email. To ask again, remove an address, save, and add it back.
        </p>
      )}
      <dl class="facts">
        <dt>Last sent</dt>
        <dd>{last_sent_at === null ? 'never' : <Ago at={last_sent_at} />}</dd>
        {last_error !== null && (
          <>
            <dt>Last error</dt>
            <dd>{last_error}</dd>
          </>
        )}
        <dt>Detail</dt>
        <dd>{detail === 'brief' ? 'Brief: names, counts, times and the kind of failure' : 'Full'}</dd>
        {channelTypes[type]?.fields.map(({ name, label }) => (
          <Fact key={name} label={label} value={channel.config[name]} />
        ))}
        <dt>Routes</dt>
        <dd>{using.length === 0 ? 'No route uses this channel.' : <RouteLinks routes={using} />}</dd>
      </dl>
    </section>
  );
}

/** Secrets come masked from the API. */
function Fact({ label, value }: { label: string; value: unknown }) {
  const text = Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([name, each]) => `${name}: ${each}`)
          .join(', ')
      : String(value ?? '');
  if (text === '') return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <code>{text}</code>
      </dd>
    </>
  );
}

function RouteLinks({ routes }: { routes: readonly Route[] }) {
  return (
    <ul class="names">
      {routes.map(({ id, name }) => (
        <li key={id}>
          <a href={`#/channels/routes/${id}`}>{name}</a>
        </li>
      ))}
    </ul>
  );
}

function Actions({ channel, routes, show }: Loaded & { show(tried: Tried | null): void }) {
  const { api } = useApp();
  const action = useAction();
  const [isDeleting, setDeleting] = useState(false);
  const { id } = channel;
  const tryOut = async (): Promise<void> => {
    show(null);
    show(await read(api.client.POST('/v0/channels/{id}/test', { params: { path: { id } } })));
  };
  return (
    <>
      <ActionButton action={action} work={tryOut} class="primary">
        Send a test
      </ActionButton>
      <a class="button" href={`#/channels/${id}/edit`}>
        Edit
      </a>
      <button type="button" class="danger" onClick={() => setDeleting(true)}>
        Delete…
      </button>
      <ProblemNote problem={action.problem} />
      {isDeleting && <DeleteDialog channel={channel} using={routesOf(id, routes)} close={() => setDeleting(false)} />}
    </>
  );
}

type DeleteProps = { channel: ChannelData; using: readonly Route[]; close(): void };

function DeleteDialog({ channel: { id, name }, using, close }: DeleteProps) {
  const app = useApp();
  const action = useAction();
  const isUsed = using.length > 0 || (action.problem instanceof ApiProblem && action.problem.code === 'channel_in_use');
  const remove = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/channels/{id}', { params: { path: { id } } });
    app.announce(`${name}: deleted`);
    app.go('#/channels');
  };
  return (
    <Dialog title={isUsed ? `${name} is in use` : `Delete ${name}?`} close={close}>
      {isUsed ? (
        <>
          <p>Routes still send alerts here. Remove the channel from them first, so that no alert is lost:</p>
          <RouteLinks routes={using} />
        </>
      ) : (
        <p>Messages that wait for it are cancelled. What was sent stays in the deliveries of its alerts.</p>
      )}
      {!isUsed && <ProblemNote problem={action.problem} />}
      <div class="buttons">
        {!isUsed && (
          <ActionButton action={action} work={remove} class="danger">
            Delete channel
          </ActionButton>
        )}
        <button type="button" onClick={close}>
          {isUsed ? 'Close' : 'Cancel'}
        </button>
      </div>
    </Dialog>
  );
}
