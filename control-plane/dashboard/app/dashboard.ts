import { ApiProblem, createApi } from './data/api.ts';
import { type Freshness, type Poller, startPolling } from './data/poll.ts';
import { can, isReadOnly, readSession, type Session, signOut } from './data/session.ts';
import { describeError } from './dom/action.ts';
import { type Content, element } from './dom/element.ts';
import { patch } from './dom/patch.ts';
import { findView, views } from './router.ts';
import { shell } from './shell.ts';
import { createSignIn } from './sign-in.ts';
import type { View, ViewContext } from './view.ts';

const firstView = '#/monitors';
const retrySessionMs = 3000;
const redrawMs = 1000;
const nothingLoaded: Freshness = { asOf: null, error: null };
const navigation = views.flatMap(({ pattern, navigation: label }) =>
  label === undefined ? [] : [{ address: pattern, label }],
);

/** The whole page: signs in, opens the view of the address, and draws until the page is left. */
export class Dashboard {
  readonly #host: Element;
  readonly #api = createApi({ csrfToken: () => this.#session?.csrf_token ?? '', signedOut: () => this.#expire() });
  readonly #signIn = createSignIn(
    session => this.#enter(session),
    () => this.#draw(),
  );
  #session: Session | null = null;
  #projectName = '';
  #view: View | null = null;
  #viewKey = 0;
  #poller: Poller | null = null;
  #freshness = nothingLoaded;
  #announcement = '';
  #focusHeading = false;

  constructor(host: Element) {
    this.#host = host;
  }

  async start(): Promise<void> {
    addEventListener('hashchange', () => this.#open());
    setInterval(() => {
      if (!document.hidden) this.#draw();
    }, redrawMs);
    const session = await this.#findSession();
    if (session !== null) this.#enter(session);
    else if (this.#session === null) this.#draw();
  }

  /** Retries until the server answers: an unreachable server has not ended the session. */
  async #findSession(): Promise<Session | null> {
    for (;;) {
      try {
        const session = await readSession();
        this.#signIn.showConnectionError(null);
        return session;
      } catch (error) {
        this.#signIn.showConnectionError(error as Error);
        this.#draw();
        await new Promise(resolve => setTimeout(resolve, retrySessionMs));
      }
      if (this.#session !== null) return null;
    }
  }

  #enter(session: Session): void {
    this.#session = session;
    if (can(session, 'project:read')) void this.#readProject();
    this.#open();
  }

  async #readProject(): Promise<void> {
    const project = await this.#api.get<{ name: string }>('/v0/project').catch(() => ({ name: '' }));
    this.#projectName = project.name;
    this.#draw();
  }

  /** Keeps the address, so that signing in again returns to the same view. */
  #expire(): void {
    if (this.#session === null) return;
    this.#end('Your session has ended. Sign in again to continue where you left off.');
  }

  async #leave(): Promise<void> {
    if (this.#session === null) return;
    await signOut(this.#session).catch(() => undefined);
    this.#end('You are signed out.');
  }

  #end(note: string): void {
    this.#session = null;
    this.#close();
    this.#signIn.showNote(note);
    this.#draw();
  }

  #open(): void {
    this.#close();
    if (this.#session === null) return this.#draw();
    if (location.hash.length < 2) history.replaceState(null, '', firstView);
    const match = findView(location.hash);
    this.#viewKey += 1;
    this.#freshness = nothingLoaded;
    this.#focusHeading = this.#viewKey > 1;
    if (match !== null) this.#show(match.definition.open(this.#context(), match.parameters));
    scrollTo(0, 0);
    this.#draw();
  }

  #show(view: View): void {
    this.#view = view;
    this.#poller = startPolling({
      load: () => view.load(),
      intervalMs: () => view.intervalMs(),
      onFreshness: freshness => {
        if (this.#view !== view) return;
        this.#freshness = freshness;
        this.#draw();
      },
    });
  }

  #close(): void {
    this.#poller?.stop();
    this.#poller = null;
    this.#view = null;
  }

  #context(): ViewContext {
    return {
      api: this.#api,
      can: scope => this.#session !== null && can(this.#session, scope),
      redraw: () => this.#draw(),
      refresh: async () => this.#poller?.refresh(),
      announce: text => {
        this.#announcement = text;
        this.#draw();
      },
      go: address => {
        location.hash = address;
      },
    };
  }

  #draw(): void {
    if (this.#session === null) {
      document.title = 'Sign in · Upquorum';
      return patch(this.#host, [this.#signIn.render()]);
    }
    const title = this.#view?.title() ?? 'Not found';
    document.title = `${title} · Upquorum`;
    const page = shell({
      address: location.hash,
      navigation,
      projectName: this.#projectName || this.#session.project_id,
      title,
      freshness: this.#freshness,
      announcement: this.#announcement,
      readOnly: isReadOnly(this.#session),
      content: element('div', { key: `view ${this.#viewKey}`, class: 'view' }, this.#content()),
      signOut: () => void this.#leave(),
    });
    patch(this.#host, page);
    if (this.#focusHeading) document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    this.#focusHeading = false;
  }

  #content(): Content {
    if (this.#view === null) return element('p', { class: 'empty' }, 'Page not found.');
    const { asOf, error } = this.#freshness;
    if (asOf !== null) return this.#view.render();
    if (error === null) return element('p', { class: 'loading' }, 'Loading…');
    return element('div', { class: 'problem', role: 'alert' }, element('p', {}, explain(error)));
  }
}

function explain(error: Error): string {
  if (!(error instanceof ApiProblem)) return `${describeError(error)} Retrying…`;
  if (error.status === 404) return 'This does not exist or was deleted.';
  if (error.status === 403) return `This token does not have access. ${describeError(error)}`;
  return describeError(error);
}
