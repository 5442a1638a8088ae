/** What the operations on people, members and invitations do, by name. */
export const accessOperations: Readonly<Record<string, string>> = {
  getMe: 'Any caller may ask, whatever its scopes. People who send `X-Project-Id` learn what they are in that project.',
  updateMe: 'Fields that are left out stay as they are. `preferences` is replaced.',
  listMeSessions: 'Returns your sessions that have not ended, at most fifty.',
  endOtherSessions: 'Ends all your sessions but the one that asks.',
  endSession: 'The next request of the session is refused. The one that asks may end itself.',
  listMePasskeys: 'Passkeys are added where you sign in, at most ten.',
  renamePasskey: 'Only the name changes.',
  deletePasskey: 'The last one stays while there is no other way to sign in.',
  listMeTokens: 'They are in the lists of their projects, too. Tokens that have ended are listed for 30 days.',
  createOwnToken:
    'What the token can do at a request is what its scopes and your role of then both allow. It ends with your ' +
    'membership. `scopes` must be within your role.',
  revokeOwnToken: 'Takes effect at once. Revoking again changes nothing.',
  unlinkIdentity: 'Accounts are linked where you sign in, at most five. The last way in stays.',
  listMembers: 'Filters can be combined.',
  updateMember: 'A project keeps at least one admin. Whoever is no longer admin loses the invitations that they sent.',
  removeMember:
    'Leaving yourself needs no scope, removing others `members:write`. A project keeps at least one admin. The open ' +
    'invitations that the person sent, and their personal tokens of the project, end with the membership.',
  listGroupRoles: 'A member has the highest of the roles that groups give, and of the one that somebody gave.',
  createGroupRole:
    'It counts for each member of the group from the next sign-in on. A group has one role in a project.',
  deleteGroupRole:
    'Who is in the project by this group alone is no longer a member. A project keeps at least one admin.',
  listInvitations: 'Invitations are listed for 90 days after they end.',
  createInvitation:
    'People need the scope `members:write`, which no token has. While a project has no member, a token with `*` may ' +
    'invite its first admin. `url` is shown only in this response; whoever has it may join, once. With `email` and ' +
    'an SMTP server, the address gets a link of its own, at most three a day; who joins by that has shown the ' +
    'address to be theirs.',
  resendInvitation:
    'At most once a minute. The links of before end, and an address that was invited gets another email.',
  revokeInvitation: 'An invitation that was accepted, or has ended, stays as it is.',
  listPeople: 'Filters can be combined.',
  getPerson: 'Returns the person with all their projects.',
  updatePerson:
    'At least one person who runs the installation stays. Who is deactivated is signed out at once, and their ' +
    'personal tokens are revoked; the memberships rest.',
  createSignInLink: 'Hand the link over; it works once, and of more than three the oldest ends.',
  erasePerson:
    'Name, address, sessions and memberships are deleted at once; what the audit says stays for as long as the audit ' +
    'does.',
  checkSignIn:
    'Asks the identity provider who it is, and looks for passkeys of another host and for projects without an admin.',
  listInstallationAudit: 'The filters are those of `GET /v0/audit`.',
  listProjects: 'People see the projects that they are members of.',
  createProject: 'Quotas of the project follow from its plan.',
  joinProject: 'Who runs the installation sees nothing of a project before joining it.',
};
