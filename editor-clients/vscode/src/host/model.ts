/** Chooses the model: its name and address as settings of the machine, its key in the secret storage. */
import * as vscode from "vscode";
import { KEY_SECRET, type Server } from "./server";

const EXAMPLES = [
  { label: "No model", description: "the repair engine alone", model: "", address: "" },
  { label: "Ollama", description: "a local model", model: "ollama_chat/qwen2.5-coder", address: "http://127.0.0.1:11434" },
  { label: "OpenAI-compatible server", description: "any address", model: "openai/local", address: "http://127.0.0.1:8080/v1" },
  { label: "Anthropic", description: "needs a key", model: "anthropic/", address: "" },
  { label: "OpenAI", description: "needs a key", model: "openai/", address: "" },
] as const;

/** Ask for a model, its address and key, and start the server with it. */
export async function selectModel(server: Server, secrets: vscode.SecretStorage): Promise<void> {
  const config = vscode.workspace.getConfiguration("greenline");
  const now = config.get<string>("model", "");
  const placeHolder = now === "" ? "Now: no model" : `Now: ${now}`;
  const chosen = await vscode.window.showQuickPick(EXAMPLES, { title: "Agent: select model", placeHolder });
  if (chosen === undefined) {
    return;
  }
  let model = "";
  let address = "";
  if (chosen.label !== "No model") {
    const name = await vscode.window.showInputBox({ title: "The model, as litellm names it", value: chosen.model, ignoreFocusOut: true });
    const at = name === undefined ? undefined : await vscode.window.showInputBox({
      title: "Its address; empty for the provider's own", value: chosen.address, ignoreFocusOut: true });
    const key = at === undefined ? undefined : await vscode.window.showInputBox({
      title: "Its key, kept in VS Code's secret storage; empty to keep what is there", password: true, ignoreFocusOut: true });
    if (name === undefined || at === undefined || key === undefined) {
      return;
    }
    [model, address] = [name.trim(), at.trim()];
    if (key !== "") {
      await secrets.store(KEY_SECRET, key);
    }
  }
  await config.update("model", model, vscode.ConfigurationTarget.Global);
  await config.update("apiBase", address, vscode.ConfigurationTarget.Global);
  await server.restart();
}
