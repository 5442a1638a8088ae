import { Page } from '../../kit/page.tsx';
import type { Channel, Route } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { RouteList } from '../routes/route-list.tsx';
import { Foresee } from '../routes/route-preview.tsx';
import { ChannelList } from './channel-list.tsx';
import { ProjectHooks } from './project-hooks.tsx';

type Loaded = { channels: readonly Channel[]; routes: readonly Route[] };

/** Where notifications go, which alerts go there, and when. */
export function Channels() {
  const app = useApp();
  const load = useLoad<Loaded>('', () => readLoaded(app), 5000, ['channels', 'routes', 'notices']);
  const { channels, routes } = load.value ?? { channels: [], routes: [] };
  const isOnly = channels.length === 0 && routes.length === 0;
  return (
    <Page
      title="Channels and routes"
      freshness={load.freshness}
      refresh={load.refresh}
      actions={
        <>
          {app.can('routes:write') && channels.length > 0 && (
            <a class="button" href="#/channels/routes/new">
              New route
            </a>
          )}
          {app.can('channels:write') && (
            <a class="button primary" href="#/channels/new">
              New channel
            </a>
          )}
        </>
      }
    >
      {isOnly && <Introduction canWrite={app.can('channels:write')} />}
      <div class="columns room">
        <div class="column">
          {app.can('routes:read') && !isOnly && (
            <RouteList routes={routes} channels={channels} refresh={load.refresh} />
          )}
          {!isOnly && <ChannelList channels={channels} routes={routes} />}
        </div>
        <div class="column">
          {app.can('routes:write') && routes.length > 0 && <Foresee routes={routes} channels={channels} />}
          {app.can('project:read') && <ProjectHooks />}
        </div>
      </div>
    </Page>
  );
}

async function readLoaded({ api, can }: App): Promise<Loaded> {
  const [channels, routes] = await Promise.all([
    readAll(query => api.client.GET('/v0/channels', { params: { query } })),
    can('routes:read') ? readAll(query => api.client.GET('/v0/routes', { params: { query } })) : [],
  ]);
  return { channels: channels.toSorted(byName), routes };
}

function byName(left: Channel, right: Channel): number {
  return left.name.localeCompare(right.name);
}

function Introduction({ canWrite }: { canWrite: boolean }) {
  return (
    <section class="card empty">
      <h2>No channels yet</h2>
      <p>
        A channel is where notifications go: email, chat, paging services or your own endpoint. Routes say which alerts
        go to which channels, and when. Until there is a route, only the Slack channels of monitors and the project’s
        webhooks are notified.
      </p>
      {canWrite ? (
        <p>
          <a class="button primary" href="#/channels/new">
            Create the first channel
          </a>
        </p>
      ) : (
        <p class="hint">You do not have permission to create channels.</p>
      )}
    </section>
  );
}
