import type { z } from 'zod';
import { describeIssue } from '../../../platform/http/bodies/describe-issue.ts';
import type { ValidFields } from '../../../platform/http/bodies/parse-body.ts';
import { pointerTo } from '../../../platform/http/bodies/unknown-fields.ts';
import type { FieldCode } from '../../../platform/http/problem.ts';
import { type AuthSettings, passwordSchema, tokenSchema, usernameSchema } from '../auth/auth.ts';
import { clientIdSchema, clientSecretSchema } from '../auth/oauth2.ts';
import type { EgressSettings } from '../egress/egress.ts';
import { pairFault } from '../egress/pem.ts';
import { proxyTextSchema, usernameFault } from '../egress/proxy.ts';
import { sentTextBytesMax, sentTextSchema } from '../kinds/sent-text.ts';
import type { StepSettings } from '../kinds/steps.ts';
import { type MonitorSettings, monitorFields } from '../monitor.ts';
import { headerValueSchema } from './header-rules.ts';

/** What is wrong with a text. */
export type Fault = { code: FieldCode; detail: string };

type Rule = (text: string) => Fault | null;

/** Where a text goes and what is asked of it. */
type Use = {
  sentTo: 'target' | 'proxy' | 'token_endpoint';
  /** Agents prove that they have the text, and send it to nobody. */
  isNeverSent?: true;
  /** The URL whose host gets the text; undefined if it is not valid. */
  url: string | undefined;
  /** Nobody is shown the text; others are shown to those who may change the monitor. */
  sealed: boolean;
  /** Whoever may read the monitor is shown the text, such as a name of a user. */
  isShown?: true;
  /** Whether it is the value of an HTTP header, which every agent blacks out in answers. */
  isHeader: boolean;
  /** What is wrong with the text once the values of secrets stand in it; null for nothing. */
  rule: Rule;
};

/** A text of a monitor's settings that may name secrets of the project, and that not everybody is shown. */
export type Place = Use & { path: readonly (string | number)[]; pointer: string; text: string; key?: string };

const keyPath = ['egress', 'client_certificate', 'private_key'];

/** One line for each field. Fields that are wrong by themselves are undefined and have no place. */
export function placesOf(settings: ValidFields<MonitorSettings>): Place[] {
  const { url, headers, body, tcp, websocket, grpc, heartbeat, multistep, egress, auth } = settings;
  const target: Use = { sentTo: 'target', url, sealed: false, isHeader: false, rule: () => null };
  return [
    ...ofValues(headers, ['headers'], { ...target, isHeader: true, rule: headerRule }),
    ...ofText(body, ['body'], { ...target, rule: bodyRule }),
    ...ofText(tcp?.send, ['tcp', 'send'], { ...target, rule: tcpRule }),
    ...ofText(websocket?.send, ['websocket', 'send'], { ...target, rule: websocketRule }),
    ...ofAuth(auth ?? null, ['auth'], { ...target, isHeader: true }),
    ...ofText(egress?.client_certificate?.private_key, keyPath, {
      ...target,
      // Of several steps, the host of the first is shown the certificate.
      url: multistep?.steps[0]?.url ?? url,
      sealed: true,
      isNeverSent: true,
      rule: keyRuleOf(egress?.client_certificate?.certificate ?? null),
    }),
    ...ofProxy(egress?.proxy ?? null, target),
    ...ofValues(grpc?.metadata, ['grpc', 'metadata'], { ...target, rule: headerRule }),
    ...(heartbeat?.aliases ?? []).flatMap((alias, index) =>
      ofText(alias, ['heartbeat', 'aliases', index], { ...target, sealed: true }),
    ),
    ...(multistep?.steps ?? []).flatMap((step, index) => ofStep(step, index, target)),
  ];
}

/** What the target is sent as a header, or the token endpoint in its form. */
function ofAuth(auth: AuthSettings | null, path: Place['path'], own: Use): Place[] {
  switch (auth?.type) {
    case 'basic':
      return [
        ...ofText(auth.username, [...path, 'username'], { ...own, isShown: true, rule: usernameRule }),
        ...ofText(auth.password, [...path, 'password'], { ...own, sealed: true, rule: passwordRule }),
      ];
    case 'bearer':
      return ofText(auth.token, [...path, 'token'], { ...own, sealed: true, rule: tokenRule });
    case 'oauth2': {
      const use: Use = { ...own, isHeader: false, sentTo: 'token_endpoint', url: auth.token_url };
      return [
        ...ofText(auth.client_id, [...path, 'client_id'], { ...use, isShown: true, rule: clientIdRule }),
        ...ofText(auth.client_secret, [...path, 'client_secret'], { ...use, sealed: true, rule: clientSecretRule }),
      ];
    }
    default:
      return [];
  }
}

/** What a proxy gets. */
function ofProxy(proxy: EgressSettings['proxy'], use: Use): Place[] {
  if (proxy === null) return [];
  const { url, username, password } = proxy;
  const own: Use = { ...use, sentTo: 'proxy', url };
  const nameRule: Rule = text => proxyTextRule(text) ?? faultOf(usernameFault(url, text));
  return [
    ...ofText(username, ['egress', 'proxy', 'username'], { ...own, isShown: true, rule: nameRule }),
    ...ofText(password, ['egress', 'proxy', 'password'], { ...own, sealed: true, rule: proxyTextRule }),
  ];
}

/** A step is known by its name, wherever it stands. */
function ofStep({ name, url, headers, body, auth }: StepSettings, index: number, use: Use): Place[] {
  const path = ['multistep', 'steps', index];
  const own = { ...use, url };
  const places = [
    ...ofValues(headers, [...path, 'headers'], { ...own, rule: headerRule }),
    ...ofText(body, [...path, 'body'], { ...own, rule: bodyRule }),
    ...ofAuth(auth ?? null, [...path, 'auth'], own),
  ];
  const key = Buffer.from(name).toString('hex');
  return places.map(place => ({ ...place, key: pointerTo(['multistep', key, ...place.path.slice(3)]) }));
}

/** The settings with what `replace` returns in each place. */
export function mapTexts<Settings extends ValidFields<MonitorSettings>>(
  settings: Settings,
  replace: (text: string, place: Place) => string,
): Settings {
  return placesOf(settings).reduce(
    (changed, place) => withText(changed, place.path, replace(place.text, place)),
    settings,
  );
}

/** A key must fit its certificate. */
function keyRuleOf(certificate: string | null): Rule {
  return text => faultOf(pairFault({ certificate, private_key: text }));
}

function faultOf(detail: string | null): Fault | null {
  return detail === null ? null : { code: 'format', detail };
}

/** The rule of a field by its schema. */
function ruleOf(schema: z.ZodType): Rule {
  return text => {
    const [issue] = schema.safeParse(text, { reportInput: true }).error?.issues ?? [];
    return issue === undefined ? null : describeIssue(issue, text);
  };
}

const usernameRule = ruleOf(usernameSchema);
const passwordRule = ruleOf(passwordSchema);
const tokenRule = ruleOf(tokenSchema);
const clientIdRule = ruleOf(clientIdSchema);
const clientSecretRule = ruleOf(clientSecretSchema);
const proxyTextRule = ruleOf(proxyTextSchema);
const headerRule = ruleOf(headerValueSchema);
const bodyRule = ruleOf(monitorFields.body);
const tcpRule = ruleOf(sentTextSchema(sentTextBytesMax.tcp));
const websocketRule = ruleOf(sentTextSchema(sentTextBytesMax.websocket));

function ofText(text: string | null | undefined, path: Place['path'], use: Use): Place[] {
  return text == null ? [] : [{ ...use, path, pointer: pointerTo(path), text }];
}

function ofValues(values: Readonly<Record<string, string>> | undefined, path: Place['path'], use: Use): Place[] {
  return Object.entries(values ?? {}).flatMap(([name, value]) => ofText(value, [...path, name], use));
}

function withText<Value>(value: Value, [step, ...rest]: Place['path'], text: string): Value {
  if (step === undefined) return text as Value;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const members = copy as Record<string | number, unknown>;
  members[step] = withText(members[step], rest, text);
  return copy as Value;
}
