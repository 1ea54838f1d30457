/** The settings of VS Code as one complete value. */
import * as vscode from "vscode";
import type { Settings } from "../core/settings";

/** Read the settings as they are now. */
export function readSettings(): Settings {
  const config = vscode.workspace.getConfiguration("greenline");
  return {
    model: config.get<string>("model", "").trim(),
    apiBase: config.get<string>("apiBase", "").trim(),
    budgetUsd: config.get<number | null>("budgetUsd", null),
    repairSeconds: config.get<number | null>("repairSeconds", null),
    maxIterations: config.get<number | null>("maxIterations", null),
    index: config.get<boolean>("index", true),
    warmWorker: config.get<boolean>("warmWorker", true),
    logLevel: config.get<string>("logLevel", "info"),
    environment: config.get<Record<string, string>>("server.environment", {}),
  };
}

/** Return where the user says that the server is; empty where they say nothing. */
export function configuredPath(): string {
  return vscode.workspace.getConfiguration("greenline").get<string>("server.path", "").trim();
}

/** Return what a server process was started with, so that a change that changes nothing of it starts no other. */
export function startedWith(): string {
  return JSON.stringify([readSettings(), configuredPath()]);
}
