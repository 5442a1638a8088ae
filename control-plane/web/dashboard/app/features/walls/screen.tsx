import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Shape } from '../../kit/badge.tsx';
import { impactLabel, type LabelledPresentation, presentation } from '../../kit/labels.ts';
import { formatDuration } from '../../session/time.ts';
import { readScreen, type ScreenData, type ScreenMonitor, versionOfScript } from './screen-data.ts';
import { describeCounts, describeStale, nextReadMs, wallLayout, worstStatus } from './wall-layout.ts';

type State = {
  data: ScreenData | null;
  /** When the last answer came, by this machine's clock, and how far that is from the server's. */
  asOfMs: number | null;
  offsetMs: number;
  isRefused: boolean;
};
const none: State = { data: null, asOfMs: null, offsetMs: 0, isRefused: false };

/** The whole page of a screen on a wall. It reads for days, and says when what it shows is old. */
export function Screen() {
  const state = useReading();
  const nowMs = useSeconds();
  useAwake();
  const { data } = state;
  const freshness = describeStale(state.asOfMs, nowMs);
  if (state.isRefused)
    return (
      <Message title="This link does not work">
        It was revoked, or the address is incomplete. Create a new link in the dashboard.
      </Message>
    );
  if (data === null)
    return (
      <Message title={freshness === 'never' ? 'Connecting…' : 'No connection'}>
        {freshness === 'never' ? '' : 'Trying again.'}
      </Message>
    );
  const serverMs = nowMs + state.offsetMs;
  return (
    <div class={freshness === 'stale' ? 'screen old' : 'screen'}>
      <Head data={data} nowMs={serverMs} />
      {freshness === 'stale' && (
        <p class="screen-stale" role="alert">
          No connection for {formatDuration(nowMs - (state.asOfMs ?? nowMs))}: this was the state at{' '}
          {clockOf((state.asOfMs ?? nowMs) + state.offsetMs)}
        </p>
      )}
      <Tiles data={data} nowMs={serverMs} />
      {data.incidents.length > 0 && (
        <footer class="screen-incidents">
          {data.incidents.map(({ title, impact, started_at }) => (
            <p key={`${started_at} ${title}`}>
              <strong>{title}</strong> · {impactLabel(impact as Parameters<typeof impactLabel>[0])} · for{' '}
              {formatDuration(serverMs - Date.parse(started_at))}
            </p>
          ))}
        </footer>
      )}
    </div>
  );
}

function Message({ title, children }: { title: string; children: string }) {
  return (
    <main class="screen-message">
      <h1>{title}</h1>
      <p>{children}</p>
    </main>
  );
}

/** Reads every five seconds, and less often while that fails. A new version of this page loads itself. */
function useReading(): State {
  const [state, setState] = useState(none);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isOpen = true;
    let failures = 0;
    const cycle = async (): Promise<void> => {
      const answer = await readScreen(location.hash.slice(1));
      if (!isOpen) return;
      failures = answer.type === 'data' ? 0 : failures + 1;
      if (answer.type === 'data') {
        const own = versionOfScript(document.querySelector('script')?.src ?? '');
        if (own !== null && own !== answer.data.version) return location.reload();
        const asOfMs = Date.now();
        const offsetMs = Date.parse(answer.data.as_of) - asOfMs;
        // A second or two is the way of the answer, not the clock of this machine.
        setState({ data: answer.data, asOfMs, offsetMs: Math.abs(offsetMs) < 2000 ? 0 : offsetMs, isRefused: false });
      }
      if (answer.type === 'refused') setState({ ...none, isRefused: true });
      timer = setTimeout(cycle, nextReadMs(failures));
    };
    const restart = () => {
      clearTimeout(timer);
      void cycle();
    };
    void cycle();
    addEventListener('online', restart);
    addEventListener('hashchange', restart);
    return () => {
      isOpen = false;
      clearTimeout(timer);
      removeEventListener('online', restart);
      removeEventListener('hashchange', restart);
    };
  }, []);
  return state;
}

function useSeconds(): number {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}

/** Keeps the screen from going dark, where the browser can; it asks again when the page is shown again. */
function useAwake(): void {
  useEffect(() => {
    const ask = () => {
      if (!document.hidden) navigator.wakeLock?.request('screen').catch(() => undefined);
    };
    ask();
    document.addEventListener('visibilitychange', ask);
    return () => document.removeEventListener('visibilitychange', ask);
  }, []);
}

function Head({ data, nowMs }: { data: ScreenData; nowMs: number }) {
  const worst = worstStatus(data.counts);
  const state = worst === null ? presentation('verdicts', 'pending') : presentationOf(worst);
  return (
    <header class={`screen-head ${state.tone}`}>
      <h1>
        <Shape name={state.glyph} />
        {worst === null ? 'No monitors' : describeCounts(data.counts)}
      </h1>
      <span class="screen-name">
        {data.project} · {data.name}
      </span>
      <time class="screen-clock">{clockOf(nowMs)}</time>
    </header>
  );
}

function clockOf(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

function presentationOf(status: string): LabelledPresentation {
  return status === 'maintenance'
    ? presentation('planned', 'maintenance')
    : presentation('verdicts', status as Parameters<typeof presentation<'verdicts'>>[1]);
}

function Tiles({ data, nowMs }: { data: ScreenData; nowMs: number }) {
  const host = useRef<HTMLUListElement>(null);
  const [size, setSize] = useState({ width: 1200, height: 700 });
  useLayoutEffect(() => {
    if (host.current === null) return;
    const resized = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    resized.observe(host.current);
    return () => resized.disconnect();
  }, []);
  const total = Object.entries(data.counts).reduce(
    (sum, [status, count]) => sum + (status === 'paused' ? 0 : count),
    0,
  );
  const { columns, rows, shown } = wallLayout(total, size.width, size.height);
  const tiles = data.monitors.slice(0, shown);
  const height = size.height / Math.max(1, rows);
  const style = {
    gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
    gridTemplateRows: `repeat(${rows}, minmax(0, 1fr))`,
    // The text grows with the tile.
    fontSize: `${Math.max(12, Math.min(64, height / 4.5, size.width / columns / 13)).toFixed(1)}px`,
  };
  return (
    <ul class="screen-tiles" ref={host} style={style} aria-label="Monitors, the worst first">
      {tiles.map((monitor, index) => (
        <Tile key={`${index} ${monitor.name}`} monitor={monitor} nowMs={nowMs} />
      ))}
      {total > tiles.length && <li class="tile quiet">{total - tiles.length} more</li>}
    </ul>
  );
}

function Tile({ monitor, nowMs }: { monitor: ScreenMonitor; nowMs: number }) {
  const { name, status, since, acknowledged, code, regions } = monitor;
  const state = presentationOf(status);
  const isWrong = ['down', 'degraded', 'undetermined'].includes(status);
  const where = regions.length > 2 ? `${regions.length} regions` : regions.join(', ');
  const why = [code, where].filter(Boolean).join(' · ');
  return (
    <li class={`tile ${state.tone}`}>
      <span class="tile-name">
        <Shape name={state.glyph} />
        <span>{name}</span>
      </span>
      {isWrong && (
        <span class="tile-why">
          {state.label} for {formatDuration(nowMs - Date.parse(since))}
          {acknowledged && ' · acknowledged'}
        </span>
      )}
      {isWrong && why !== '' && <span class="tile-why">{why}</span>}
      {!isWrong && <span class="tile-why">{state.label}</span>}
    </li>
  );
}
