/** The head of a PNG file, filled up to `bytes`. */
export function pngFile(width: number, height: number, bytes = 64): Buffer {
  const file = Buffer.alloc(bytes);
  file.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 0, 'latin1');
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  return file;
}

/** A JPEG file with one segment before its frame. */
export function jpegFile(width: number, height: number): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, 6, 1, 2, 3, 4]);
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 0, 0, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, frame, Buffer.from([0xff, 0xd9])]);
}

/** The head of a WebP file of one of its three kinds. */
export function webpFile(kind: 'VP8X' | 'VP8L' | 'VP8 ', width: number, height: number): Buffer {
  const file = Buffer.alloc(40);
  file.write(`RIFF\0\0\0\0WEBP${kind}`, 0, 'latin1');
  if (kind === 'VP8X') {
    file.writeUIntLE(width - 1, 24, 3);
    file.writeUIntLE(height - 1, 27, 3);
  } else if (kind === 'VP8L') file.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
  else {
    file.writeUInt16LE(width, 26);
    file.writeUInt16LE(height, 28);
  }
  return file;
}
