import { jsonOf } from './json.ts';
import { type Flows, type Identity, type Props, page, type StubCall, type User, type Warn } from './page.ts';
import { bytesOf } from './pieces.ts';
import { createSender, type Sender } from './sender.ts';
import { openStorage, randomId, sessionId } from './storage.ts';
import { watchPath } from './views.ts';

// The script that pages load: `flows.init(project, { external_id })`, `flows.track(name, props)`, `flows.identify(id)`.
// It never throws into the page.

/** More than the server accepts from a page: what it refuses is said on the console. */
const eventBytesMax = 16 * 1024;
const callsBeforeInitMax = 1000;
const adoptEveryMs = 30_000;

type Call = (identity: Identity, sender: Sender) => void;

/** `source` is where the script's host takes events; undefined if the script does not know where it came from. */
function createFlows(source: string | undefined): Flows & { call(call: StubCall): void } {
  /** One for each project, so that no event is ever sent to another one. */
  const senders = new Map<string, Sender>();
  let sender: Sender | undefined;
  let silent = false;
  const warned = new Set<string>();
  const callsBeforeInit: Call[] = [];
  let isViewed = false;

  /** Each kind once per page: a page that tracks all the time must not fill its console. */
  const warn: Warn = (kind, detail) => {
    if (!warned.has(kind)) console.warn(`flows: ${kind}: ${detail}`);
    warned.add(kind);
  };

  /** Runs a call now, or once `init` has said whose page it is. */
  const ready = (call: Call): void => {
    const identity = page.upquorumIdentity;
    if (silent) return;
    try {
      if (sender && identity) call(identity, sender);
      else if (callsBeforeInit.length < callsBeforeInitMax) callsBeforeInit.push(call);
    } catch (error) {
      warn('not JSON', error);
    }
  };

  const trackAt = (at: number, name: string, props?: Props, type?: string): void =>
    ready(({ user, session_id }, sender) => {
      const json = jsonOf({ name, type, props, external_user_id: idOf(user), session_id, dedup_id: randomId() });
      if (bytesOf(json) > eventBytesMax) warn('too large', name);
      else sender.track([at, json]);
    });

  /** From now on events are this user's. */
  const become = (project_id: string, user: User | null | undefined, session_id: string): void => {
    const detail = { project_id, user: { external_id: idOf(user) }, session_id };
    page.upquorumIdentity = detail;
    page.dispatchEvent(new CustomEvent('upquorum:identity', { detail }));
  };

  const init: Flows['init'] = (projectId, user, options) => {
    const { doNotTrack, globalPrivacyControl } = page.navigator;
    silent = options?.respect_do_not_track === true && (doNotTrack === '1' || globalPrivacyControl === true);
    if (silent) return;
    const endpoint = options?.endpoint ?? source;
    if (!endpoint) {
      // What is tracked waits for an init that names it, and never goes to the project of an earlier one.
      sender = undefined;
      return warn('nothing is sent', '`endpoint` is missing');
    }
    const identity = page.upquorumIdentity;
    const shared = identity?.project_id === projectId ? identity : undefined;
    become(projectId, user ?? shared?.user, shared?.session_id ?? sessionId());
    if (senders.size === 0) watchPage();
    sender = senders.get(projectId) ?? createSender(projectId, openStorage(), warn);
    senders.set(projectId, sender);
    sender.endpoint = endpoint;
    callsBeforeInit.splice(0).forEach(ready);
    sender.adopt();
    if (!options?.pages || isViewed) return;
    isViewed = true;
    watchPath(props => trackAt(Date.now(), 'page', props));
  };

  const identifyAt = (at: number, user: string | number, traits?: Props): void =>
    ready(({ project_id, session_id }) => {
      become(project_id, { external_id: user }, session_id);
      trackAt(at, 'identify', traits, 'identify');
    });

  const reset = (): void => ready(({ project_id }) => become(project_id, null, sessionId(true)));

  const each = (action: (sender: Sender) => unknown) => () => senders.forEach(action);

  const flush = each(({ flush }) => flush());

  const watchPage = (): void => {
    const { addEventListener, document } = page;
    addEventListener(
      'pagehide',
      each(({ close }) => close()),
    );
    addEventListener('online', flush);
    document.addEventListener(
      'visibilitychange',
      each(({ hide }) => document.hidden && hide()),
    );
    setInterval(
      each(({ adopt }) => adopt()),
      adoptEveryMs,
    );
  };

  const flows: Flows = {
    init: (...values) => {
      try {
        init(...values);
      } catch (error) {
        warn('init failed', error);
      }
    },
    track: (...call) => trackAt(Date.now(), ...call),
    identify: (...call) => identifyAt(Date.now(), ...call),
    reset,
    flush,
  };
  return {
    ...flows,
    /** A call that the page queued before this script came: with its time, or as older stubs did, without. */
    call: call => {
      const [at, method, ...values] = typeof call[0] === 'number' ? call : [Date.now(), ...call];
      const timed = { track: trackAt, identify: identifyAt }[method as string];
      if (timed) timed(at as number, ...(values as [string]));
      else (flows[method as 'flush'] as ((...values: unknown[]) => void) | undefined)?.(...values);
    },
  };
}

/** The user's id as the server takes it. Many pages have numbers, or an empty text for nobody. */
function idOf(user: User | null | undefined): string | undefined {
  return String(user?.external_id ?? '') || undefined;
}

/**
 * Where the host of this script takes events: /client/v0/flows.js sends to /v0/events. Modules and evaluated texts have
 * no address, and evaluated ones may find that of the script that evaluates them, which is another host's.
 */
function sourceOf(script: Document['currentScript']): string | undefined {
  if (script instanceof HTMLScriptElement && /^https?:[^?#]*\/flows[^/?#]*\.js([?#]|$)/.test(script.src))
    return new URL('../../v0/events', script.src).href;
}

const queuedCalls = page.flows?.q;
if (!page.flows || queuedCalls) {
  const { call, ...flows } = createFlows(sourceOf(page.document.currentScript));
  page.flows = flows;
  queuedCalls?.forEach(call);
}
