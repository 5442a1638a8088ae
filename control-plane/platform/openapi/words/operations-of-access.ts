/** What the operations on people, members and invitations do, by name. */
export const accessOperations: Readonly<Record<string, string>> = {
  getMe: 'Any caller may ask, whatever its scopes.',
  updateMe: 'Fields that are left out stay as they are. `preferences` is replaced.',
  listMeSessions: 'Returns your sessions that have not ended, at most fifty.',
  endOtherSessions: 'Ends all your sessions but the one that asks.',
  endSession: 'The next request of the session is refused. The one that asks may end itself.',
  listMembers: 'Filters can be combined.',
  updateMember:
    'A project keeps at least one admin. Whoever is no longer admin loses the invitations that they sent. Needs a ' +
    'sign-in or confirmation of the last ten minutes.',
  removeMember:
    'Requires the scope `members:write`, but to leave yourself. A project keeps at least one admin. The open ' +
    'invitations that the person sent end with the membership. Needs a sign-in or confirmation of the last ten minutes.',
  listInvitations: 'Invitations are listed for 90 days after they end.',
  createInvitation:
    'Requires the scope `members:write`, which only people have. While a project has no member, a token with `*` may ' +
    'invite its first admin. `url` is shown only in this response; whoever has it may join, once.',
  resendInvitation:
    'At most once a minute. The link of before ends. Needs a sign-in or confirmation of the last ten minutes.',
  revokeInvitation: 'An invitation that was accepted, or has ended, stays as it is.',
  listPeople: 'For people who run the installation.',
  getPerson: 'For people who run the installation.',
  updatePerson:
    'For people who run the installation. At least one of them stays. Who is deactivated is signed out at once; the ' +
    'memberships rest. Needs a sign-in or confirmation of the last ten minutes.',
  createSignInLink:
    'For people who run the installation. Hand the link over; it works once, and of more than three the oldest ends. ' +
    'Needs a sign-in or confirmation of the last ten minutes.',
  erasePerson:
    'For people who run the installation. Name, address, sessions and memberships are deleted at once; what the audit ' +
    'says stays for as long as the audit does. Needs a sign-in or confirmation of the last ten minutes.',
  listInstallationAudit: 'For people who run the installation. The filters are those of `GET /v0/audit`.',
  listProjects: 'People see the projects that they are members of.',
  createProject: 'For people who run the installation. Needs a sign-in or confirmation of the last ten minutes.',
  joinProject:
    'For people who run the installation: they see nothing of a project before. Needs a sign-in or confirmation of the ' +
    'last ten minutes.',
};
