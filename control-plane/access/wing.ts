import type { IncomingHttpHeaders } from 'node:http';
import { dayMs, minuteMs } from '#shared/duration.ts';
import type { Caller } from '../platform/http/endpoint/caller.ts';
import type { ApiServices, Served, Wing } from '../platform/services.ts';
import { groupRoleEndpoints } from './group-roles/routes.ts';
import { invitationEndpoints } from './invitations/routes.ts';
import { deleteInvitationsBefore } from './invitations/store.ts';
import { memberEndpoints } from './members/routes.ts';
import { watchAdmins } from './members/unadministered.ts';
import { identityEndpoints } from './oidc/routes.ts';
import type { SignInSettings } from './oidc/settings.ts';
import { passkeyEndpoints } from './passkeys/routes.ts';
import { deleteTicketsBefore } from './passkeys/store.ts';
import { meEndpoints } from './people/me-routes.ts';
import { peopleEndpoints } from './people/people-routes.ts';
import { ownProjectEndpoints } from './people/project-routes.ts';
import { deleteLinksBefore } from './people/store.ts';
import { ownTokenEndpoints } from './people/token-routes.ts';
import { callerOf, type Where } from './sessions/caller-of.ts';
import { deleteSessionsBefore } from './sessions/store.ts';
import { findingEndpoints } from './sign-in/finding-routes.ts';
import { addJoinRoutes } from './sign-in/join-routes.ts';
import { addLinkRoutes } from './sign-in/link-routes.ts';
import { addLogoutRoute } from './sign-in/oidc-logout.ts';
import { addOidcRoutes } from './sign-in/oidc-routes.ts';
import { addPasskeyRoutes } from './sign-in/passkey-routes.ts';
import { type AccessHooks, signInServices } from './sign-in/services.ts';
import { addSessionRoutes } from './sign-in/session-routes.ts';

type Authenticate = (headers: IncomingHttpHeaders, where?: Where) => Promise<Caller>;
/** `canMail`: false without an SMTP server. */
type AccessApi = ApiServices & { signIn: SignInSettings; canMail: boolean };

export const access = {
  /** `authenticate`: who calls by a token or by a session of the dashboard. `bearer`: who calls by a token. */
  serve: (
    services: AccessApi,
    hooks: AccessHooks,
  ): Served & { authenticate: Authenticate; bearer(header: string): Promise<Caller> } => {
    const signIn = signInServices(services, hooks);
    const own = { ...services, ...hooks };
    return {
      authenticate: (headers, where) => callerOf(headers, signIn, where),
      bearer: signIn.authenticate,
      endpoints: [
        ...meEndpoints(own),
        ...ownTokenEndpoints(services),
        ...passkeyEndpoints(services),
        ...identityEndpoints(services),
        ...memberEndpoints(own),
        ...groupRoleEndpoints(own),
        ...invitationEndpoints(own),
        ...peopleEndpoints(own),
        ...ownProjectEndpoints(own),
        ...findingEndpoints(services),
      ],
      routes: [
        router => addSessionRoutes(router, signIn),
        router => addLinkRoutes(router, signIn),
        router => addJoinRoutes(router, signIn),
        router => addPasskeyRoutes(router, signIn),
        router => addOidcRoutes(router, signIn),
        router => addLogoutRoute(router, signIn),
      ],
    };
  },
  timers: services => [{ name: 'admins', everyMs: minuteMs, run: () => watchAdmins(services) }],
  retention: () => [
    { name: 'sessions', keepMs: 30 * dayMs, run: deleteSessionsBefore },
    { name: 'sign_in_links', keepMs: 30 * dayMs, run: deleteLinksBefore },
    { name: 'used_tickets', keepMs: 0, run: deleteTicketsBefore },
    { name: 'invitations', keepMs: 90 * dayMs, run: deleteInvitationsBefore },
  ],
} satisfies Wing & Record<string, unknown>;
