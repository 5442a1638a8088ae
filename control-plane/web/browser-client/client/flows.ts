import { jsonOf } from './json.ts';
import { type Flows, page, type StubCall, type User, type Warn } from './page.ts';
import { bytesOf } from './pieces.ts';
import { createSender, type Sender } from './sender.ts';
import { openStorage, randomId, sessionId } from './storage.ts';

// The script that pages load: `flows.init(project, { external_id })`, `flows.track(name, props)`.
// It never throws into the page.

/** More than the server accepts from a page: what it refuses is said on the console. */
const eventBytesMax = 16 * 1024;
const callsBeforeInitMax = 1000;
const adoptEveryMs = 30_000;
const identityEvent = 'upquorum:identity';

/** `source` is where the script's host takes events; undefined if the script does not know where it came from. */
function createFlows(source: string | undefined): Flows & { call(call: StubCall): void } {
  /** One for each project, so that no event is ever sent to another one. */
  const senders = new Map<string, Sender>();
  let sender: Sender | undefined;
  let silent = false;
  const warned = new Set<string>();
  const callsBeforeInit: [number, string, Record<string, unknown> | undefined][] = [];

  /** Each kind once per page: a page that tracks all the time must not fill its console. */
  const warn: Warn = (kind, detail) => {
    if (!warned.has(kind)) console.warn(`flows: ${kind}: ${detail}`);
    warned.add(kind);
  };

  const trackAt = (at: number, name: string, props?: Record<string, unknown>): void => {
    if (silent) return;
    const identity = page.upquorumIdentity;
    if (sender === undefined || identity === undefined) {
      if (callsBeforeInit.length < callsBeforeInitMax) callsBeforeInit.push([at, name, props]);
      return;
    }
    try {
      const { session_id } = identity;
      const ids = { ...idOf(identity.user), session_id, dedup_id: randomId() };
      const json = jsonOf({ name, props, ...ids });
      if (bytesOf(json) > eventBytesMax) return warn('too large', name);
      sender.track([at, json]);
    } catch (error) {
      warn('not JSON', error);
    }
  };

  const init: Flows['init'] = (projectId, user, options) => {
    const { doNotTrack, globalPrivacyControl } = page.navigator;
    silent = options?.respect_do_not_track === true && (doNotTrack === '1' || globalPrivacyControl === true);
    if (silent) return;
    const endpoint = options?.endpoint ?? source;
    if (endpoint === undefined) {
      // What is tracked waits for an init that names it, and never goes to the project of an earlier one.
      sender = undefined;
      return warn('nothing is sent', 'without a script tag of its own the client needs the option `endpoint`');
    }
    const identity = page.upquorumIdentity;
    const shared = identity?.project_id === projectId ? identity : undefined;
    const { external_user_id } = idOf(user ?? shared?.user);
    page.upquorumIdentity = {
      project_id: projectId,
      user: external_user_id === undefined ? {} : { external_id: external_user_id },
      session_id: shared?.session_id ?? sessionId(),
    };
    page.dispatchEvent(new CustomEvent(identityEvent, { detail: page.upquorumIdentity }));
    if (senders.size === 0) watchPage();
    sender = senders.get(projectId) ?? createSender(projectId, openStorage(), warn);
    senders.set(projectId, sender);
    sender.endpoint = endpoint;
    for (const call of callsBeforeInit.splice(0)) trackAt(...call);
    sender.adopt();
  };

  const each = (action: (sender: Sender) => void) => () => senders.forEach(action);

  const watchPage = (): void => {
    page.addEventListener(
      'pagehide',
      each(({ close }) => close()),
    );
    page.addEventListener(
      'online',
      each(({ flush }) => flush()),
    );
    page.document.addEventListener(
      'visibilitychange',
      each(({ hide }) => {
        if (page.document.visibilityState === 'hidden') hide();
      }),
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
    track: (name, props) => trackAt(Date.now(), name, props),
    flush: each(({ flush }) => flush()),
  };
  return {
    ...flows,
    /** A call that the page queued before this script came: with its time, or as older stubs did, without. */
    call: call => {
      const [at, method, ...values] = typeof call[0] === 'number' ? call : [Date.now(), ...call];
      if (method === 'track') trackAt(at as number, ...(values as [string]));
      else (flows[method as 'flush'] as ((...values: unknown[]) => void) | undefined)?.(...values);
    },
  };
}

/** The user's id as the server takes it. Many pages have numbers, or an empty text for nobody. */
function idOf(user: User | undefined): { external_user_id?: string } {
  const id = String(user?.external_id ?? '');
  return id === '' ? {} : { external_user_id: id };
}

/**
 * Where the host of this script takes events: /client/v0/flows.js sends to /v0/events. Modules and evaluated texts have
 * no address, and evaluated ones may find that of the script that evaluates them, which is another host's.
 */
function sourceOf(script: Document['currentScript']): string | undefined {
  if (!(script instanceof HTMLScriptElement) || !/^https?:[^?#]*\/flows[^/?#]*\.js([?#]|$)/.test(script.src)) return;
  return new URL('../../v0/events', script.src).href;
}

const queuedCalls = page.flows?.q;
if (page.flows === undefined || queuedCalls !== undefined) {
  const { call, ...flows } = createFlows(sourceOf(page.document.currentScript));
  page.flows = flows;
  queuedCalls?.forEach(call);
}
