import type { Draft } from '../draft/draft.ts';
import { basicFor, bearerFor, oauth2For } from '../draft/request.ts';
import type { HttpTarget } from '../draft/target.ts';
import type { Thing } from '../draft/thing.ts';
import { isTrue, listOf, objectOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';

/** What would let every check fail without it: the monitor is switched off, and it is said. */
export function switchOff(thing: Thing, field: string): Item {
  thing.changed(field, null, 'enabled: false', 'it is not carried: set it up by hand, then switch it on');
  return { enabled: false };
}

/** A family that is not fallen back from. */
export function familyOf(config: Item): Item {
  if (config.ip_protocol_fallback === undefined || isTrue(config.ip_protocol_fallback)) return {};
  return { ip_family: textOf(config.preferred_ip_protocol) === 'ip4' ? 'ipv4' : 'ipv6' };
}

/** Members of `egress`, and `enabled: false` where files would be needed. */
export function tlsOf(thing: Thing, config: Item): { egress: Item; off: Item } {
  const name = textOf(config.server_name);
  const isName = /^[a-z0-9._-]{1,253}$/i.test(name);
  let off: Item = {};
  const files = isTrue(config.insecure_skip_verify) ? ['cert_file', 'key_file'] : ['ca_file', 'cert_file', 'key_file'];
  for (const field of [...files, 'ca_ref', 'cert_ref', 'key_ref', 'ca', 'cert', 'key'])
    if (textOf(config[field]) !== '') off = switchOff(thing, `tls_config.${field}`);
  for (const field of ['min_version', 'max_version'])
    if (textOf(config[field]) !== '')
      thing.dropped(`tls_config.${field}`, textOf(config[field]), 'it has no equivalent here');
  return {
    egress: {
      ...(isTrue(config.insecure_skip_verify) ? { verify: false } : {}),
      ...(isName ? { server_name: name } : {}),
    },
    off,
  };
}

/** How a client of Prometheus signs in, of those that `headers` do not do already. */
export function authOf(
  { draft, thing, key }: { draft: Draft; thing: Thing; key: string },
  client: Item,
  target: HttpTarget,
  headers: readonly string[],
): Item {
  let off: Item = {};
  for (const field of ['bearer_token_file', 'proxy_from_environment'])
    if (client[field] !== undefined && client[field] !== false) off = switchOff(thing, field);
  const isSigned = headers.some(name => name.toLowerCase() === 'authorization');
  if (client.oauth2 !== undefined) {
    const oauth2 = isSigned ? null : oauth2Of(draft, key, objectOf(client.oauth2));
    return oauth2 === null ? switchOff(thing, 'oauth2') : { ...oauth2, ...off };
  }
  if (isSigned) return off;
  const basic = objectOf(client.basic_auth);
  const authorization = objectOf(client.authorization);
  if (textOf(basic.password_file) !== '' || textOf(basic.username_file) !== '') off = switchOff(thing, 'basic_auth');
  else if (textOf(basic.username) !== '' || textOf(basic.password) !== '')
    return { ...basicFor(draft, thing, key, textOf(basic.username), textOf(basic.password)), ...off };
  if (textOf(authorization.credentials_file) !== '') off = switchOff(thing, 'authorization');
  const type = textOf(authorization.type) || 'Bearer';
  const credentials = textOf(authorization.credentials) || textOf(client.bearer_token);
  if (credentials !== '' && /^bearer$/i.test(type)) return { ...bearerFor(draft, thing, key, credentials), ...off };
  if (credentials !== '') off = switchOff(thing, 'authorization');
  return { ...basicFor(draft, thing, key, target.username, target.password), ...off };
}

/** Null where files, other parameters or a way of its own would be needed. */
function oauth2Of(draft: Draft, key: string, config: Item): Item | null {
  const { client_id: id, client_secret: secret, token_url: url, scopes, endpoint_params: given, ...others } = config;
  const { audience, ...parameters } = objectOf(given);
  if (Object.keys(others).length + Object.keys(parameters).length > 0) return null;
  return oauth2For(draft, key, { url, id, secret, scopes: listOf(scopes).map(textOf), audience: textOf(audience) });
}
