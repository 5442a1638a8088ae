import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { TakeBytes } from './body-reader.ts';
import { decodeText } from './charset.ts';
import type { ResponseHeaders } from './response-headers.ts';

const bytesMax = 65_536;
/** Text that is packed better than pages are is left alone. */
const decodedBytesMax = 1_048_576;
const lenient = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: decodedBytesMax };

/** The beginning of a body that no assertion reads. Nothing about it can make a check fail. */
export class BodySample {
  readonly #takeBytes: TakeBytes;
  /** Taken as a whole: bodies may come byte by byte. Null before the first one. */
  #buffer: Buffer | null = null;
  #bytes = 0;

  constructor(takeBytes: TakeBytes) {
    this.#takeBytes = takeBytes;
  }

  push(received: Buffer): void {
    this.#buffer ??= this.#takeBytes(bytesMax) ? Buffer.allocUnsafe(bytesMax) : Buffer.alloc(0);
    this.#bytes += received.copy(this.#buffer, this.#bytes);
  }

  /** As text; empty if it cannot be decoded. */
  text(headers: ResponseHeaders): string {
    try {
      const bytes = decoded(
        this.#buffer?.subarray(0, this.#bytes) ?? Buffer.alloc(0),
        headers.all('content-encoding').join(),
      );
      return decodeText(bytes, headers.get('content-type'));
    } catch {
      return '';
    }
  }
}

function decoded(bytes: Buffer, coding: string): Buffer {
  switch (coding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, lenient);
    case 'deflate':
      return inflateSync(bytes, lenient);
    case 'br':
      return brotliDecompressSync(bytes, { ...lenient, finishFlush: constants.BROTLI_OPERATION_FLUSH });
    case 'zstd':
      return zstdDecompressSync(bytes, { ...lenient, finishFlush: constants.ZSTD_e_flush });
    default:
      return bytes;
  }
}
