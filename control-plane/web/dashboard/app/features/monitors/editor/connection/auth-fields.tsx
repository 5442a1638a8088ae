import type { Choices } from '../../../../kit/labels.ts';
import type { FieldsProps } from '../fields-props.ts';
import { OfferSecrets } from '../offer-secrets.tsx';
import { takesAuth } from './auth-draft.ts';

const types: Choices = [
  ['', 'None'],
  ['basic', 'User name and password (HTTP Basic)'],
  ['bearer', 'Bearer token'],
];

/** How checks sign in at their target; nothing for kinds that cannot. */
export function AuthFields({ form }: FieldsProps) {
  const { kind, authType } = form.draft;
  if (!takesAuth(kind)) return null;
  return (
    <details class="card" open={authType !== ''}>
      <summary>
        <h2>Authentication</h2>
      </summary>
      <form.Choice name="authType" at="auth" label="Type" choices={types} />
      <OfferSecrets>
        {authType === 'basic' && (
          <div class="pair">
            <form.Line name="username" at="auth/username" label="User name" input={{ autocomplete: 'off' }} />
            <form.Line
              name="authSecret"
              at="auth/password"
              label="Password"
              input={{ type: 'password', autocomplete: 'new-password' }}
            />
          </div>
        )}
        {authType === 'bearer' && (
          <form.Line
            name="authSecret"
            at="auth/token"
            label="Token"
            input={{ type: 'password', autocomplete: 'new-password' }}
          />
        )}
      </OfferSecrets>
    </details>
  );
}
