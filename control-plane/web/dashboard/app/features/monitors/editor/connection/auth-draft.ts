import type { Monitor } from '../../../../session/api-types.ts';
import type { Kind } from '../kind-draft.ts';

/** How checks sign in, while it is edited. A stored password or token stands as `********`. */
export type AuthDraft = { authType: string; username: string; authSecret: string };

export const noAuth: AuthDraft = { authType: '', username: '', authSecret: '' };

export function draftOfAuth({ auth }: Pick<Monitor, 'auth'>): AuthDraft {
  if (auth == null) return noAuth;
  if (auth.type === 'bearer') return { authType: auth.type, username: '', authSecret: auth.token };
  return { authType: auth.type, username: auth.username, authSecret: auth.password };
}

/** Whether checks of the kind can sign in. */
export function takesAuth(kind: Kind): boolean {
  return kind === 'http' || kind === 'grpc' || kind === 'websocket';
}

/** The member `auth` of a body. */
export function authBody({ authType: type, username, authSecret }: AuthDraft, kind: Kind): object | null {
  if (!takesAuth(kind) || type === '') return null;
  return type === 'bearer' ? { type, token: authSecret } : { type, username, password: authSecret };
}
