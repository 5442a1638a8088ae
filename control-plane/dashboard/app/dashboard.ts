import { tell } from './action.ts';
import { ApiProblem, createApi } from './api.ts';
import { type Content, element } from './element.ts';
import { type Follower, type Freshness, follow } from './follow.ts';
import { patch } from './patch.ts';
import { can, readSession, type Session, signOut } from './session.ts';
import { shell } from './shell.ts';
import { openSignIn } from './sign-in.ts';
import type { Place, View } from './view.ts';
import { findView } from './views.ts';

const firstView = '#/monitors';
const retrySessionMs = 3000;

/** The page: signs in, shows the view of the address, and draws. Runs until the page is left. */
export class Dashboard {
  readonly #host: Element;
  readonly #api = createApi({ csrfToken: () => this.#session?.csrf_token ?? '', signedOut: () => this.#lost() });
  readonly #signIn = openSignIn(
    session => this.#enter(session),
    () => this.#draw(),
  );
  #session: Session | null = null;
  #projectName = '';
  #view: View | null = null;
  #viewKey = 0;
  #follower: Follower | null = null;
  #freshness: Freshness = { asOf: null, error: null };
  #announcement = '';
  #focusHeading = false;

  constructor(host: Element) {
    this.#host = host;
  }

  async start(): Promise<void> {
    addEventListener('hashchange', () => this.#open());
    setInterval(() => {
      if (!document.hidden) this.#draw();
    }, 1000);
    const session = await this.#findSession();
    if (session !== null) this.#enter(session);
    else if (this.#session === null) this.#draw();
  }

  /** Asks until it knows: a server that does not answer now has ended nobody's sign-in. */
  async #findSession(): Promise<Session | null> {
    for (;;) {
      try {
        const session = await readSession();
        this.#signIn.fail(null);
        return session;
      } catch (error) {
        this.#signIn.fail(error as Error);
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

  /** The address stays, so that signing in again leads back to the same view. */
  #lost(): void {
    if (this.#session === null) return;
    this.#session = null;
    this.#close();
    this.#signIn.tell('Your sign-in has ended. Sign in again to go on where you were.');
    this.#draw();
  }

  #open(): void {
    this.#close();
    if (this.#session === null) return this.#draw();
    if (location.hash.length < 2) history.replaceState(null, '', firstView);
    const match = findView(location.hash.split('?')[0] ?? '');
    this.#viewKey += 1;
    this.#freshness = { asOf: null, error: null };
    this.#focusHeading = this.#viewKey > 1;
    if (match !== null) {
      const view = match.definition.open(this.#place(), match.parameters);
      this.#view = view;
      this.#follower = follow(
        () => view.load(),
        () => view.everyMs(),
        freshness => {
          if (this.#view !== view) return;
          this.#freshness = freshness;
          this.#draw();
        },
      );
    }
    scrollTo(0, 0);
    this.#draw();
  }

  #close(): void {
    this.#follower?.stop();
    this.#view?.close?.();
    this.#follower = null;
    this.#view = null;
  }

  #place(): Place {
    return {
      api: this.#api,
      can: scope => this.#session !== null && can(this.#session, scope),
      redraw: () => this.#draw(),
      refresh: async () => this.#follower?.refresh(),
      announce: text => {
        this.#announcement = text;
        this.#draw();
      },
      go: address => {
        location.hash = address;
      },
    };
  }

  async #leave(): Promise<void> {
    if (this.#session === null) return;
    await signOut(this.#session).catch(() => undefined);
    this.#session = null;
    this.#close();
    this.#signIn.tell('You are signed out.');
    this.#draw();
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
      projectName: this.#projectName || this.#session.project_id,
      title,
      freshness: this.#freshness,
      announcement: this.#announcement,
      readOnly: !this.#session.scopes.some(scope => scope === '*' || scope.endsWith(':write')),
      content: element('div', { key: `view ${this.#viewKey}`, class: 'view' }, this.#content()),
      leave: () => void this.#leave(),
    });
    patch(this.#host, page);
    if (this.#focusHeading) document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    this.#focusHeading = false;
  }

  #content(): Content {
    if (this.#view === null) return element('p', { class: 'empty' }, 'Nothing has this address.');
    const { asOf, error } = this.#freshness;
    if (asOf !== null) return this.#view.render();
    if (error === null) return element('p', { class: 'loading' }, 'Loading…');
    return element('div', { class: 'problem', role: 'alert' }, element('p', {}, explain(error)));
  }
}

function explain(error: Error): string {
  if (!(error instanceof ApiProblem)) return `${tell(error)} Trying again.`;
  if (error.status === 404) return 'This does not exist, or it was deleted.';
  if (error.status === 403) return `Your token may not see this. ${tell(error)}`;
  return tell(error);
}
