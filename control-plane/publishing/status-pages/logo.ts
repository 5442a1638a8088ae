/** What a logo's file says about itself. */
export type LogoFile = { contentType: LogoType; width: number; height: number; bytes: Buffer };
export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';

export const logoBytesMax = 64 * 1024;
/** A small file may hold a huge picture, which takes the memory of every visitor's browser. */
export const logoPixelsMax = 2048;

type Size = { width: number; height: number };

/** Reads a data URL. Null unless it holds a PNG, JPEG or WebP picture, judged by its bytes: SVG may hold scripts. */
export function parseLogo(dataUrl: string): LogoFile | null {
  const base64 = /^data:image\/(?:png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(dataUrl)?.[1];
  if (base64 === undefined) return null;
  const bytes = Buffer.from(base64, 'base64');
  const file = pngOf(bytes) ?? jpegOf(bytes) ?? webpOf(bytes);
  if (file === null || file.width === 0 || file.height === 0) return null;
  return { ...file, bytes };
}

function pngOf(bytes: Buffer): (Size & { contentType: LogoType }) | null {
  const isPng = bytes.length >= 33 && bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  if (!isPng || bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { contentType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** The size is in the frame header, after segments of any length. */
function jpegOf(bytes: Buffer): (Size & { contentType: LogoType }) | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame)
      return { contentType: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function webpOf(bytes: Buffer): (Size & { contentType: LogoType }) | null {
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  const size = isWebp && bytes.length >= 30 ? webpSize(bytes) : null;
  return size === null ? null : { contentType: 'image/webp', ...size };
}

function webpSize(bytes: Buffer): Size | null {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}
