import { mask } from '../../../../kit/form/mask.ts';
import type { Monitor } from '../../../../session/api-types.ts';

/** How checks sign in, while it is edited. A stored password, token or secret of a client stands as `********`. */
export type AuthDraft = {
  authType: string;
  username: string;
  authSecret: string;
  /** The type whose secret is stored; '' for none. */
  sealedFor: string;
  tokenUrl: string;
  clientId: string;
  /** Separated by blanks. */
  tokenScopes: string;
  tokenAudience: string;
  clientAuth: string;
};

export const noAuth: AuthDraft = {
  authType: '',
  username: '',
  authSecret: '',
  sealedFor: '',
  tokenUrl: '',
  clientId: '',
  tokenScopes: '',
  tokenAudience: '',
  clientAuth: 'header',
};

export function draftOfAuth(auth: Monitor['auth']): AuthDraft {
  return { ...settingsOfAuth(auth), sealedFor: auth?.type ?? '' };
}

function settingsOfAuth(auth: Monitor['auth']): AuthDraft {
  switch (auth?.type) {
    case 'basic':
      return { ...noAuth, authType: auth.type, username: auth.username, authSecret: auth.password };
    case 'bearer':
      return { ...noAuth, authType: auth.type, authSecret: auth.token };
    case 'oauth2':
      return {
        ...noAuth,
        authType: auth.type,
        authSecret: auth.client_secret,
        tokenUrl: auth.token_url,
        clientId: auth.client_id,
        tokenScopes: (auth.scopes ?? []).join(' '),
        tokenAudience: auth.audience ?? '',
        clientAuth: auth.client_auth ?? noAuth.clientAuth,
      };
    default:
      return noAuth;
  }
}

/** Whether checks of the kind can sign in. */
export function takesAuth(kind: Monitor['kind']): boolean {
  return kind === 'http' || kind === 'grpc' || kind === 'websocket';
}

/** The member `auth` of a body, or of a step. */
export function authBody(draft: AuthDraft): object | null {
  const { authType: type, username, tokenUrl, clientId, tokenScopes, tokenAudience, clientAuth } = draft;
  if (type === '') return null;
  // What is stored for one type is no secret of another.
  const authSecret = draft.authSecret === mask && draft.sealedFor !== type ? '' : draft.authSecret;
  if (type === 'bearer') return { type, token: authSecret };
  if (type !== 'oauth2') return { type, username, password: authSecret };
  return {
    type,
    token_url: tokenUrl.trim(),
    client_id: clientId,
    client_secret: authSecret,
    scopes: tokenScopes.split(/\s+/).filter(Boolean),
    audience: tokenAudience.trim() === '' ? null : tokenAudience.trim(),
    client_auth: clientAuth,
  };
}
