/** The box that asks for a request in words, with buttons for what goes with it. */
import * as vscode from "vscode";
import { IMAGE_ENDS, imageOf, sizeProblem, type Image } from "../core/image";
import { contextOf, isSomething, promptWords, type Attachment, type Pointed } from "../core/place";
import { failureWords } from "../core/failure";
import type { TaskContext } from "../core/wire";

export interface Asked {
  readonly request: string;
  readonly context?: TaskContext;
}

const DIAGNOSTICS: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("warning"), tooltip: "Attach the problems here" };
const IMAGE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("file-media"), tooltip: "Attach an image…" };
const NOTHING: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("close"), tooltip: "Attach nothing" };

/** Ask for a request; the selection or the file is attached to it from the beginning. */
export async function askForRequest(title: string, prompt: string, pointed: Pointed | undefined): Promise<Asked | undefined> {
  const box = new RequestBox(title, prompt, pointed);
  try {
    return await box.ask();
  } finally {
    box.dispose();
  }
}

class RequestBox {
  private readonly box = vscode.window.createInputBox();
  private readonly images: Image[] = [];
  private attached: Attachment[] = [];
  private isChoosing = false;

  constructor(
    title: string,
    private readonly prompt: string,
    private readonly pointed: Pointed | undefined,
  ) {
    this.box.title = title;
    this.box.ignoreFocusOut = true;
    if (pointed !== undefined) {
      this.attached.push(isSomething(pointed.selection) ? "selection" : "file");
    }
    this.draw();
  }

  ask(): Promise<Asked | undefined> {
    const { box } = this;
    box.onDidTriggerButton((button) => void this.push(button));
    box.onDidChangeValue(() => {
      box.validationMessage = undefined;
    });
    return new Promise((resolve) => {
      box.onDidAccept(() => {
        const request = box.value.trim();
        const context = contextOf(this.pointed, this.attached, this.images);
        resolve(request === "" ? undefined : { request, ...(context && { context }) });
        box.hide();
      });
      box.onDidHide(() => {
        // Where the dialog takes the place of the box, the box comes back after it.
        if (!this.isChoosing) {
          resolve(undefined);
        }
      });
      box.show();
    });
  }

  dispose(): void {
    this.box.dispose();
  }

  private async push(button: vscode.QuickInputButton): Promise<void> {
    this.box.validationMessage = undefined;
    if (button === IMAGE) {
      await this.chooseImages();
    } else if (button === NOTHING) {
      this.attached = [];
      this.images.length = 0;
    } else if (!this.attached.includes("diagnostics")) {
      this.attached.push("diagnostics");
    }
    this.draw();
  }

  private draw(): void {
    const { box, pointed, attached, images } = this;
    const name = pointed === undefined ? "" : vscode.workspace.asRelativePath(vscode.Uri.parse(pointed.uri, true));
    box.prompt = promptWords(this.prompt, name, pointed, attached, images);
    const problems = pointed !== undefined && pointed.diagnostics.length > 0 && !attached.includes("diagnostics");
    const something = attached.length > 0 || images.length > 0;
    box.buttons = [...(problems ? [DIAGNOSTICS] : []), IMAGE, ...(something ? [NOTHING] : [])];
  }

  private async chooseImages(): Promise<void> {
    if (this.isChoosing) {
      return;
    }
    this.isChoosing = true;
    try {
      const chosen = await vscode.window.showOpenDialog({
        title: "Attach an image", openLabel: "Attach", canSelectMany: true, filters: { Images: IMAGE_ENDS },
      });
      for (const file of chosen ?? []) {
        await this.attach(file);
      }
    } finally {
      this.isChoosing = false;
      // Selected as a whole, as they would come back, the words would be gone with the next key.
      this.box.valueSelection = [this.box.value.length, this.box.value.length];
      this.box.show();
    }
  }

  private async attach(file: vscode.Uri): Promise<void> {
    const name = file.path.split("/").at(-1) ?? file.path;
    try {
      // What is too large is not read.
      const { size } = await vscode.workspace.fs.stat(file);
      const found = sizeProblem(name, size, this.images.length) ?? imageOf(name, await vscode.workspace.fs.readFile(file));
      if (typeof found === "string") {
        this.box.validationMessage = found;
      } else {
        this.images.push(found);
      }
    } catch (error) {
      this.box.validationMessage = `${name} was not attached: ${failureWords(error) ?? "it could not be read."}`;
    }
  }
}
