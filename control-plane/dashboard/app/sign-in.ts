import { type Session, signIn } from './data/session.ts';
import { type Action, createAction, problemNote, submitButton } from './dom/action.ts';
import { type Description, element } from './dom/element.ts';
import { field, form } from './dom/form.ts';
import { mark } from './parts/mark.ts';

type SignIn = {
  /** Shows why the sign-in page appears. */
  showNote(text: string): void;
  /** Shows that the session could not be read, until called with null. */
  showConnectionError(error: Error | null): void;
  render(): Description;
};

/** The sign-in page: takes an API token, which the server stores in a cookie that no script can read. */
export function createSignIn(onSignIn: (session: Session) => void, redraw: () => void): SignIn {
  const action = createAction(redraw);
  let note = '';
  const submit = async (token: string): Promise<void> => {
    const session = await signIn(token);
    note = '';
    onSignIn(session);
  };
  return {
    showNote: text => {
      note = text;
      action.clear();
    },
    showConnectionError: error => {
      action.problem = error;
      note = error === null ? '' : 'Reconnecting… If you were signed in, you still are.';
    },
    render: () =>
      element(
        'main',
        { key: 'sign-in', class: 'sign-in' },
        element('h1', {}, mark(), 'Upquorum'),
        element('p', { class: 'lead' }, 'Uptime monitoring by a quorum of regions.'),
        note !== '' && element('p', { class: 'note', role: 'status' }, note),
        tokenForm(action, submit),
        element(
          'p',
          { class: 'hint' },
          element('a', { href: '/docs' }, 'API reference'),
          ' · the same token works for the API',
        ),
      ),
  };
}

function tokenForm(action: Action, submit: (token: string) => Promise<void>): Description {
  const attributes = {
    type: 'password',
    autocomplete: 'current-password',
    autofocus: true,
    spellcheck: 'false',
    placeholder: 'upq_…',
    required: true,
  };
  const hint = 'npm start prints one; create more with npm run admin -- token create.';
  return form(
    { 'aria-label': 'Sign in' },
    action,
    values => submit(values.text('token')),
    field('input', { label: 'API token', name: 'token', action, hint, attributes }),
    problemNote(action.problem),
    submitButton('Sign in', action),
  );
}
