/** The settings as one complete value, and what of them reaches the server and how. Pure. */

export interface Settings {
  readonly model: string;
  readonly apiBase: string;
  readonly budgetUsd: number | null;
  readonly repairSeconds: number | null;
  readonly maxIterations: number | null;
  readonly index: boolean;
  readonly warmWorker: boolean;
  readonly logLevel: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Return the server's environment: the editor's, then the user's setting, then model, address, key and budget. */
export function serverEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  settings: Settings,
  apiKey: string | undefined,
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...base, ...settings.environment })) {
    if (typeof value === "string") {
      result[name] = value;
    }
  }
  const own = {
    GREENLINE_MODEL: settings.model,
    GREENLINE_API_BASE: settings.apiBase,
    GREENLINE_API_KEY: apiKey ?? "",
    GREENLINE_BUDGET_USD: settings.budgetUsd === null ? "" : String(settings.budgetUsd),
  };
  for (const [name, value] of Object.entries(own)) {
    if (value !== "") {
      result[name] = value;
    }
  }
  return result;
}

/** Return LSP's `initializationOptions`; what weakens safety is not among them. */
export function initializationOptions(settings: Settings): Record<string, unknown> {
  const options: Record<string, unknown> = {
    agentUi: true,
    index: settings.index,
    warmWorker: settings.warmWorker,
    logLevel: settings.logLevel,
  };
  if (settings.repairSeconds !== null) {
    options["repairS"] = settings.repairSeconds;
  }
  if (settings.maxIterations !== null) {
    options["maxIterations"] = settings.maxIterations;
  }
  return options;
}
