/** How well the text of a page can be read: the contrast of each text with what is behind it, as WCAG 2 counts it. */
import type { Frame } from "playwright-core";

/** Return the texts of a page whose contrast is below a limit, each with its contrast. */
export function unreadable(page: Frame, limit: number): Promise<string[]> {
  return page.evaluate((least) => {
    type Colour = readonly [number, number, number, number];
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const read = (css: string): Colour => {
      if (canvas === null) {
        throw new Error("no canvas");
      }
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = css;
      canvas.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, alpha / 255];
    };
    const over = (top: Colour, below: Colour): Colour => {
      const mix = (n: 0 | 1 | 2): number => top[n] * top[3] + below[n] * (1 - top[3]);
      return [mix(0), mix(1), mix(2), 1];
    };
    const light = (colour: Colour): number => {
      const part = (value: number): number => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
      return 0.2126 * part(colour[0]) + 0.7152 * part(colour[1]) + 0.0722 * part(colour[2]);
    };
    const behind = (element: Element | null): Colour =>
      element === null ? read("white") : over(read(getComputedStyle(element).backgroundColor), behind(element.parentElement));
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    while (texts.nextNode() !== null) {
      const element = texts.currentNode.parentElement;
      const text = (texts.currentNode.textContent ?? "").trim();
      if (element !== null && text !== "" && element.tagName !== "SCRIPT") {
        const ground = behind(element);
        const [one, other] = [light(over(read(getComputedStyle(element).color), ground)), light(ground)];
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (contrast < least) {
          found.push(`${contrast.toFixed(2)}: ${text}`);
        }
      }
    }
    return found;
  }, limit);
}
