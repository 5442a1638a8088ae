import type { Fields } from '../../../../kit/form/fields.tsx';
import type { Choices } from '../../../../kit/labels.ts';
import type { FieldsProps } from '../fields-props.ts';
import { OfferSecrets } from '../offer-secrets.tsx';
import { type AuthDraft, takesAuth } from './auth-draft.ts';

const types: Choices = [
  ['', 'None'],
  ['basic', 'User name and password (HTTP Basic)'],
  ['bearer', 'Bearer token'],
  ['oauth2', 'Token of OAuth 2 (client credentials)'],
];

const clientAuths: Choices = [
  ['header', 'By HTTP Basic'],
  ['body', 'In the form'],
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
      <AuthChoice form={form} label="Type" />
    </details>
  );
}

type AuthProps = { form: Fields<AuthDraft> };

/** The way to sign in, and the fields that it has. */
export function AuthChoice({ form, label }: AuthProps & { label: string }) {
  const { authType, sealedFor } = form.draft;
  const isStored = sealedFor === authType;
  return (
    <>
      <form.Choice name="authType" at="auth" label={label} choices={types} />
      <OfferSecrets>
        {authType === 'basic' && (
          <div class="pair">
            <form.Line name="username" at="auth/username" label="User name" input={{ autocomplete: 'off' }} />
            <form.Sealed name="authSecret" at="auth/password" label="Password" isStored={isStored} />
          </div>
        )}
        {authType === 'bearer' && <form.Sealed name="authSecret" at="auth/token" label="Token" isStored={isStored} />}
        {authType === 'oauth2' && <ClientFields form={form} isStored={isStored} />}
      </OfferSecrets>
    </>
  );
}

/** With what a token is fetched. */
function ClientFields({ form, isStored }: AuthProps & { isStored: boolean }) {
  return (
    <>
      <form.Line
        name="tokenUrl"
        at="auth/token_url"
        label="Token endpoint"
        hint="Agents fetch a token here and use it until it expires."
        input={{ placeholder: 'https://id.example.com/oauth2/token', autocomplete: 'off' }}
      />
      <div class="pair">
        <form.Line name="clientId" at="auth/client_id" label="Client ID" input={{ autocomplete: 'off' }} />
        <form.Sealed name="authSecret" at="auth/client_secret" label="Client secret" isStored={isStored} />
      </div>
      <form.Choice name="clientAuth" at="auth/client_auth" label="How the client signs in" choices={clientAuths} />
      <div class="pair">
        <form.Line
          name="tokenScopes"
          at="auth/scopes"
          label="Scopes (optional)"
          hint="Separated by blanks."
          input={{ autocomplete: 'off' }}
        />
        <form.Line
          name="tokenAudience"
          at="auth/audience"
          label="Audience (optional)"
          input={{ autocomplete: 'off' }}
        />
      </div>
    </>
  );
}
