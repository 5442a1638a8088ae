import { useRef, useState } from 'preact/hooks';
import { ProblemNote } from '../../kit/problem.tsx';
import { useKeptFocus } from '../../kit/table/kept-focus.ts';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Channel, Route } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { formatLongDuration } from '../../session/time.ts';
import { describeMatch, describeQuiet, moved } from './route-draft.ts';

type RouteListProps = { routes: readonly Route[]; channels: readonly Channel[]; refresh(): Promise<void> };

/** Routes in the order in which alerts are matched; dragging or the arrow keys of a handle change it. */
export function RouteList({ routes, channels, refresh }: RouteListProps) {
  const { can } = useApp();
  const { ids, move, step, action } = useRouteOrder(routes, refresh);
  const [dragged, setDragged] = useState<string | null>(null);
  const { list, handleProps } = useKeptFocus<HTMLOListElement>(ids.join());
  const shown = ids.flatMap(id => routes.find(route => route.id === id) ?? []);
  const canOrder = can('routes:write') && routes.length > 1;
  return (
    <section class="card">
      <h2>Routes</h2>
      <Introduction isEmpty={routes.length === 0} canWrite={can('routes:write')} />
      <ol ref={list}>
        {shown.map((route, index) => (
          <li
            key={route.id}
            class={`route ${dragged === route.id ? 'dragged' : ''} ${route.enabled ? '' : 'disabled'}`}
            data-row
            onDragOver={event => {
              if (dragged !== null) event.preventDefault();
            }}
            onDrop={event => {
              event.preventDefault();
              if (dragged !== null) move(dragged, index);
            }}
          >
            {canOrder && (
              <Handle
                {...handleProps(route.id)}
                name={route.name}
                place={`position ${index + 1} of ${ids.length}`}
                drag={isDragged => setDragged(isDragged ? route.id : null)}
                step={by => step(route.id, by)}
              />
            )}
            <RouteText route={route} position={index + 1} channels={channels} />
          </li>
        ))}
      </ol>
      <ProblemNote problem={action.problem} />
    </section>
  );
}

/** The order as it was last chosen, and its storing. */
function useRouteOrder(routes: readonly Route[], refresh: () => Promise<void>) {
  const app = useApp();
  const action = useAction();
  const [order, setOrder] = useState<readonly string[] | null>(null);
  const ids = order ?? routes.map(({ id }) => id);
  const wanted = useRef<readonly string[] | null>(null);
  /** Keys may be pressed faster than this is rendered. */
  const latest = () => wanted.current ?? ids;
  /** Moves that are made meanwhile are stored next. */
  const store = async (): Promise<void> => {
    try {
      while (wanted.current !== null) {
        const sent = wanted.current;
        await read(app.api.client.POST('/v0/routes/order', { body: { ids: [...sent] } }));
        await refresh();
        if (wanted.current === sent) wanted.current = null;
      }
    } finally {
      wanted.current = null;
      setOrder(null);
    }
  };
  const move = (id: string, to: number): void => {
    const next = moved(latest(), id, to);
    if (next.join() === latest().join()) return;
    setOrder(next);
    app.announce(`${routes.find(route => route.id === id)?.name}: position ${next.indexOf(id) + 1} of ${next.length}`);
    wanted.current = next;
    void action.run(store);
  };
  return { ids, move, step: (id: string, by: number) => move(id, latest().indexOf(id) + by), action };
}

function Introduction({ isEmpty, canWrite }: { isEmpty: boolean; canWrite: boolean }) {
  if (!isEmpty) return <p class="hint">An alert takes the first route that matches.</p>;
  return (
    <>
      <p class="hint">
        No routes yet: no channel is notified. A route says which alerts go to which channels, and when.
      </p>
      {canWrite && (
        <p>
          <a class="button primary" href="#/channels/routes/new">
            Create the first route
          </a>
        </p>
      )}
    </>
  );
}

type HandleProps = { name: string; place: string; drag(isDragged: boolean): void; step(by: number): void };

function Handle({ name, place, drag, step, ...props }: HandleProps) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(by);
  };
  const onDragStart = (event: DragEvent): void => {
    event.dataTransfer?.setData('text/plain', name);
    drag(true);
  };
  return (
    <button
      type="button"
      class="handle"
      {...props}
      draggable
      aria-label={`Move ${name}: ${place}, arrow keys move it`}
      title="Drag, or press the arrow keys"
      onDragStart={onDragStart}
      onDragEnd={() => drag(false)}
      onKeyDown={onKeyDown}
    >
      ⠿
    </button>
  );
}

type RouteTextProps = { route: Route; position: number; channels: readonly Channel[] };

function RouteText({ route, position, channels }: RouteTextProps) {
  const { id, name, enabled, match, steps, remind_every_minutes: remind, quiet_hours: quiet } = route;
  const namesOf = (channelIds: readonly string[]) =>
    channelIds.map(each => channels.find(channel => channel.id === each)?.name ?? each).join(', ');
  const notes = [
    remind === null ? '' : `Reminds every ${formatLongDuration(remind * 60_000)}`,
    quiet === null ? '' : describeQuiet(quiet),
    route.continue ? 'Later routes are tried as well' : '',
  ].filter(Boolean);
  return (
    <div class="what">
      <span class="route-head">
        <span class="hint">{position}.</span>
        <a class="name" href={`#/channels/routes/${id}`}>
          {name}
        </a>
        {!enabled && <span class="tag">disabled</span>}
        <code>{describeMatch(match)}</code>
      </span>
      <ol class="step-line">
        {steps.map(({ after_minutes: after, channel_ids }) => (
          <li key={after}>
            <span class="hint">{after === 0 ? 'at once' : `after ${formatLongDuration(after * 60_000)}`}</span>{' '}
            {namesOf(channel_ids)}
          </li>
        ))}
      </ol>
      {notes.length > 0 && <span class="reason">{notes.join(' · ')}</span>}
    </div>
  );
}
