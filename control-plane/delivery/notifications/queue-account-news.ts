import { newId } from '#shared/ids.ts';
import type { MailInvitation } from '../../access/invitations/mail.ts';
import type { EmailPeople } from '../../access/people/account-news.ts';
import { listReachable } from '../../access/people/store.ts';
import type { MailSignIn } from '../../access/sign-in/mailed-link.ts';
import { noProject } from './delivery.ts';
import { insertDelivery } from './fan-out-store.ts';

/** Each call is one email to each person. */
export const emailPeople: EmailPeople = async (sql, { personIds, projectId }, news, nowMs) => {
  const subject = `account.${news.type} ${newId('dlv', nowMs)}`;
  for (const recipient of await listReachable(sql, personIds)) {
    const delivery = { kind: 'account', channel: 'account', subject, thread: null, sequence: 0 } as const;
    await insertDelivery(
      sql,
      { ...delivery, projectId: projectId ?? noProject, recipient, payload: news },
      nowMs,
      nowMs,
    );
  }
};

/** The recipient is the invitation: what is due to an address is nobody's queue. */
export const mailInvitation: MailInvitation = (sql, { id, projectId, sealed }, nowMs) => {
  const subject = `invitation ${newId('dlv', nowMs)}`;
  const delivery = { kind: 'invitation', channel: 'account', subject, thread: null, sequence: 0 } as const;
  return insertDelivery(sql, { ...delivery, projectId, recipient: id, payload: { sealed } }, nowMs, nowMs);
};

/** What begins the subjects of requests for a link. */
export const askedSubject = 'sign_in ';

/** The recipient is a hash of the address: whether it is somebody's is looked up by who sends. */
export const mailSignIn: MailSignIn = (sql, { recipient, sealed }, nowMs) => {
  const subject = `${askedSubject}${newId('dlv', nowMs)}`;
  const delivery = { kind: 'account', channel: 'account', subject, thread: null, sequence: 0 } as const;
  return insertDelivery(sql, { ...delivery, projectId: noProject, recipient, payload: { sealed } }, nowMs, nowMs);
};
