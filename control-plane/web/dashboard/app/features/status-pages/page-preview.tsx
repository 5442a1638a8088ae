import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiProblem, read } from '../../session/api.ts';
import type { StatusPage } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { describeError } from '../../session/error.ts';

type PreviewProps = {
  page: StatusPage;
  /** Settings that are typed and not saved. */
  changes: Readonly<Record<string, unknown>>;
  version: string;
};

const typingMs = 500;
/** What was not rendered because the server had too much to do is asked for again. */
const againMs = 5000;
const widths = { desk: 1100, phone: 390 };

/** The page as visitors will see it, with what is not saved yet. It is rendered by the server, into a closed frame. */
export function PagePreview({ page, changes, version }: PreviewProps) {
  const app = useApp();
  const [device, setDevice] = useState<keyof typeof widths>(innerWidth < 800 ? 'phone' : 'desk');
  const [html, setHtml] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const mayPreview = app.can('status-pages:write');
  const wanted = JSON.stringify(changes);
  useEffect(() => {
    if (!mayPreview) return;
    let isCurrent = true;
    let timer = setTimeout(
      () => {
        const call = app.api.client.POST('/v0/status-pages/{id}/preview', {
          params: { path: { id: page.id } },
          body: JSON.parse(wanted),
        });
        read(call).then(
          answer => {
            if (!isCurrent) return;
            setHtml(answer.html);
            setFault(null);
          },
          error => {
            if (!isCurrent) return;
            setFault(faultOf(error));
            if (isTransient(error)) timer = setTimeout(() => setAttempt(attempt + 1), againMs);
          },
        );
      },
      html === null ? 0 : typingMs,
    );
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [page.id, wanted, version, mayPreview, attempt]);
  return (
    <section class="page-preview" aria-label="Preview">
      <div class="card-head">
        <h2>Preview</h2>
        <div class="chips">
          {(['desk', 'phone'] as const).map(name => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={device === name ? 'true' : 'false'}
              onClick={() => setDevice(name)}
            >
              {name === 'desk' ? 'Desk' : 'Phone'}
            </button>
          ))}
        </div>
      </div>
      {mayPreview ? (
        <Frame
          html={html}
          isBusy={html === null && fault === null}
          width={widths[device]}
          title={`Preview of ${page.name}`}
        />
      ) : (
        <p class="hint">Only those who may edit the page can render a preview. Open the page itself instead.</p>
      )}
      <p class="hint" role="status">
        {fault ?? hintOf(html !== null, wanted)}
      </p>
    </section>
  );
}

function hintOf(isRendered: boolean, wanted: string): string {
  if (!isRendered) return 'Rendering…';
  return wanted === '{}' ? 'As visitors see it now, with 30 days at most.' : 'Includes unsaved changes.';
}

function isTransient(error: Error): boolean {
  return !(error instanceof ApiProblem) || error.status === 429 || error.status >= 500;
}

function faultOf(error: Error): string {
  return error instanceof ApiProblem && error.status === 422
    ? 'No preview yet: correct the marked fields first.'
    : `No preview: ${describeError(error)}`;
}

type FrameProps = { html: string | null; isBusy: boolean; width: number; title: string };

/** A document without an origin, wider than its place and scaled down to it. */
function Frame({ html, isBusy, width, title }: FrameProps) {
  const host = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  const [place, setPlace] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === 'preview ready') setReady(true);
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, []);
  useEffect(() => {
    if (isReady && html !== null) frame.current?.contentWindow?.postMessage({ html }, '*');
  }, [isReady, html]);
  useLayoutEffect(() => {
    if (host.current === null) return;
    const resized = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setPlace({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    resized.observe(host.current);
    return () => resized.disconnect();
  }, []);
  const scale = Math.min(1, place.width / width);
  return (
    <div ref={host} class="frame" aria-busy={isBusy ? 'true' : 'false'}>
      <iframe
        ref={frame}
        src="/dashboard/preview"
        title={title}
        sandbox="allow-scripts"
        style={{
          width: `${width}px`,
          height: `${scale === 0 ? 0 : Math.round(place.height / scale)}px`,
          transform: `scale(${scale})`,
        }}
      />
    </div>
  );
}
