/** Stands for the module `vscode` where there is no extension host. */
export {};
