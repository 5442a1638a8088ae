/** An email before it is encoded. Its header fields are made by `headerText` and hold one line each. */
export type Email = {
  to: string;
  fromName: string;
  subject: string;
  text: string;
  html: string;
  /** Without angle brackets and domain, like the ids below. */
  messageId: string;
  /**
   * Id of a message that is never sent: all emails of an incident refer to it, so that clients show them as one thread.
   */
  threadId: string | null;
  /** What filters recognise the page's emails by, RFC 2919; null for a confirmation. */
  listId: string | null;
  /** Target of the one-click unsubscription; null for a confirmation. */
  unsubscribeUrl: string | null;
};

/** Whom an email is for: `token` is the subscriber's, `deliveryId` becomes the message's id. */
export type EmailRecipient = { to: string; token: string; deliveryId: string };

/** Text for a header field: one line, without control characters and characters that change the writing direction. */
export function headerText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
}

/** Readers would decode what begins so, RFC 2047. */
const lookAlike = '=?';

/** Bytes in an encoded word, which has at most 75 characters. */
const wordBytesMax = 45;

/** A subject, as encoded words where it looks like one: nodemailer leaves text in ASCII as it is. */
export function encodeLookAlike(text: string): string {
  if (!text.includes(lookAlike)) return text;
  const words = [''];
  for (const letter of text) {
    const longer = `${words.at(-1)}${letter}`;
    if (Buffer.byteLength(longer) > wordBytesMax) words.push(letter);
    else words[words.length - 1] = longer;
  }
  return words.map(word => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}

/** A sender's name that looks like an encoded word: with an invisible joiner in it, nodemailer encodes all of it. */
export function joinLookAlike(name: string): string {
  return name.replaceAll(lookAlike, '=\u2060?');
}
