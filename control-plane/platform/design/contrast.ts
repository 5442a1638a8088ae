/** A colour as `#rrggbb`, in lower case. */
export type Hex = `#${string}`;

/** Null for anything but `#rrggbb`. */
export function parseHex(text: string): Hex | null {
  return /^#[0-9a-f]{6}$/i.test(text) ? (text.toLowerCase() as Hex) : null;
}

/** Contrast of two colours, from 1 to 21 (WCAG 2.2); 1 if one of them is not a colour. */
export function contrastOf(left: string, right: string): number {
  const [first, second] = [parseHex(left), parseHex(right)];
  if (first === null || second === null) return 1;
  const [low = 0, high = 0] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Black or white, whichever is easier to read on the colour: its contrast is always at least 4.5. */
export function readableOn(background: Hex): Hex {
  return contrastOf('#ffffff', background) >= contrastOf('#000000', background) ? '#ffffff' : '#000000';
}

/** The first mixture of the colour with `towards`, in steps of a fiftieth, that is good enough; else `towards`. */
export function shadeFor(colour: Hex, towards: Hex, isGood: (shade: Hex) => boolean): Hex {
  const steps = 50;
  for (let step = 0; step < steps; step++) {
    const shade = mix(colour, towards, step / steps);
    if (isGood(shade)) return shade;
  }
  return towards;
}

function mix(colour: Hex, other: Hex, share: number): Hex {
  const [from, to] = [channels(colour), channels(other)];
  const mixed = from.map((channel, index) => Math.round(channel + ((to[index] ?? 0) - channel) * share));
  return `#${mixed.map(channel => channel.toString(16).padStart(2, '0')).join('')}`;
}

function luminance(colour: Hex): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map(channel => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: Hex): number[] {
  return [1, 3, 5].map(index => Number.parseInt(colour.slice(index, index + 2), 16));
}
