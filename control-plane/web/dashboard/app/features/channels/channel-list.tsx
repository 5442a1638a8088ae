import { Badge } from '../../kit/badge.tsx';
import { type LabelledPresentation, presentation } from '../../kit/labels.ts';
import { plural } from '../../kit/plural.ts';
import { Ago } from '../../kit/time.tsx';
import type { Channel, Route } from '../../session/api-types.ts';
import { channelTypes } from './channel-fields.ts';

/** What a channel is like: a disabled one is neither well nor failing. */
export function channelState({ enabled, state }: Pick<Channel, 'enabled' | 'state'>): LabelledPresentation {
  return presentation('channels', enabled ? state : 'disabled');
}

/** The routes that name a channel. */
export function routesOf(channelId: string, routes: readonly Route[]): Route[] {
  return routes.filter(({ steps }) => steps.some(step => step.channel_ids.includes(channelId)));
}

/** Channels with their health. */
export function ChannelList({ channels, routes }: { channels: readonly Channel[]; routes: readonly Route[] }) {
  return (
    <section class="card">
      <h2>Channels</h2>
      {channels.length === 0 && <p class="hint">No channels yet.</p>}
      <ul class="lines">
        {channels.map(channel => (
          <Row key={channel.id} channel={channel} uses={routesOf(channel.id, routes).length} />
        ))}
      </ul>
    </section>
  );
}

function Row({ channel, uses }: { channel: Channel; uses: number }) {
  const { id, name, type, last_sent_at, last_error, state, unconfirmed } = channel;
  return (
    <li class="channel" data-row>
      <Badge state={channelState(channel)} />
      <span class="what">
        <a class="name" href={`#/channels/${id}`}>
          {name}
        </a>
        <span class="reason">
          {channelTypes[type]?.label ?? type} · {uses === 0 ? 'no route uses it' : plural(uses, 'route')}
        </span>
        {state === 'failing' && last_error !== null && <span class="fault">{last_error}</span>}
        {unconfirmed.length > 0 && (
          <span class="reason">Waiting for {plural(unconfirmed.length, 'address', 'addresses')} to confirm</span>
        )}
      </span>
      <span class="hint end">
        {last_sent_at === null ? (
          'nothing sent yet'
        ) : (
          <>
            sent <Ago at={last_sent_at} />
          </>
        )}
      </span>
    </li>
  );
}
