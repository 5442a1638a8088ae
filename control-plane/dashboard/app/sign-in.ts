import { createAction, problemNote, submitButton } from './action.ts';
import { element } from './element.ts';
import { field, form } from './form.ts';
import { type Session, signIn } from './session.ts';
import { mark } from './shell.ts';

/** The front door: asks for an API token, which the server keeps in a cookie that no script can read. */
export function openSignIn(entered: (session: Session) => void, redraw: () => void) {
  const action = createAction(redraw);
  let note = '';
  return {
    tell: (text: string) => {
      note = text;
      action.clear();
    },
    fail: (error: Error | null) => {
      action.problem = error;
      note =
        error === null
          ? ''
          : 'Whoever is signed in stays so: this page goes on by itself as soon as the server answers.';
    },
    render: () =>
      element(
        'main',
        { key: 'sign-in', class: 'sign-in' },
        element('h1', {}, mark(), 'Upquorum'),
        element('p', { class: 'lead' }, 'Uptime monitoring by a quorum of regions.'),
        note !== '' && element('p', { class: 'note', role: 'status' }, note),
        form(
          { 'aria-label': 'Sign in' },
          action,
          async values => {
            const session = await signIn(values.text('token'));
            note = '';
            entered(session);
          },
          field('input', {
            label: 'API token',
            name: 'token',
            action,
            hint: 'npm start prints one; npm run admin -- token create makes more.',
            attributes: {
              type: 'password',
              autocomplete: 'current-password',
              autofocus: true,
              spellcheck: 'false',
              placeholder: 'upq_…',
              required: true,
            },
          }),
          problemNote(action.problem),
          submitButton('Sign in', action),
        ),
        element(
          'p',
          { class: 'hint' },
          element('a', { href: '/v0/openapi.json' }, 'OpenAPI document'),
          ' · the same token works for the API',
        ),
      ),
  };
}
