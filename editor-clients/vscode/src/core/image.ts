/** The images of a request: which ones the server takes, checked before a request is lost over one. Pure. */

/** An image as the server takes it. */
export interface Image {
  readonly name: string;
  /** Its bytes as base64. */
  readonly data: string;
}

/** Ends of the names that the dialog lists. */
export const IMAGE_ENDS = ["png", "jpg", "jpeg", "gif", "webp"];
export const MAX_IMAGES = 4;
export const MAX_IMAGE_BYTES = 4 * 1024 * 1024;

/** Return why no image of this size, in bytes, can be attached to so many others; undefined where one can. */
export function sizeProblem(name: string, size: number, attached: number): string | undefined {
  if (attached >= MAX_IMAGES) {
    return `${name} was not attached: ${String(MAX_IMAGES)} images are the most.`;
  }
  return size > MAX_IMAGE_BYTES
    ? `${name} was not attached: it is larger than ${String(MAX_IMAGE_BYTES / 1024 / 1024)} MiB. Make it smaller.`
    : undefined;
}

/** Return the image that a file holds, or why it holds none; the bytes decide, not the name. */
export function imageOf(name: string, bytes: Uint8Array): Image | string {
  return isImage(bytes)
    ? { name, data: Buffer.from(bytes).toString("base64") }
    : `${name} was not attached: it holds no image. Attach a PNG, JPEG, GIF or WebP file.`;
}

function isImage(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  const starts = ["\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a"];
  return starts.some((start) => text.startsWith(start)) || (text.startsWith("RIFF") && text.slice(8) === "WEBP");
}
