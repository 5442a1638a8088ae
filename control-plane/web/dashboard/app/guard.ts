import { options } from 'preact';

type Props = Record<string, unknown>;

/** Applies `checkProps` to every element of the app, so that no data can become script or markup. */
export function guardElements(): void {
  const before = options.vnode;
  options.vnode = vnode => {
    if (typeof vnode.type === 'string') checkProps(vnode.props as Props);
    before?.(vnode);
  };
}

/**
 * Drops an `href` that is neither http(s) nor a path or fragment of this site. Throws TypeError for properties that
 * would run or style text.
 */
export function checkProps(props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (name === 'dangerouslySetInnerHTML' || name.toLowerCase() === 'srcdoc' || name === 'innerHTML')
      throw new TypeError(`${name} is not allowed`);
    if (name === 'style' && typeof value === 'string') throw new TypeError('a style must be an object');
    if (/^on/i.test(name) && value !== undefined && value !== null && typeof value !== 'function')
      throw new TypeError(`${name} must be a function`);
  }
  if (props.href !== undefined && !isSafeAddress(String(props.href))) props.href = undefined;
}

function isSafeAddress(address: string): boolean {
  return /^(https?:\/\/|\/(?!\/)|#)/i.test(address);
}
