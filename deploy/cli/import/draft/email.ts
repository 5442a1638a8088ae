const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const domain =
  /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Whether the API takes this address. Domains that are not in ASCII are left to people. */
export function isEmail(text: string): boolean {
  const [local = '', host = '', ...more] = text.split('@');
  return more.length === 0 && text.length <= 254 && local.length <= 64 && localPart.test(local) && domain.test(host);
}
