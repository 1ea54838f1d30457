import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "host/", "node_modules/", "artefacts/", "*.vsix"] },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ["src/**/*.ts", "test/**/*.ts"] })),
  {
    files: ["src/**/*.ts", "test/**/*.ts"],
    languageOptions: { parserOptions: { project: ["./tsconfig.json", "./test/tsconfig.json"] } },
    rules: {
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", { max: 50, skipBlankLines: true, skipComments: true }],
      eqeqeq: "error",
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_" }],
      // VS Code's Disposable is an interface in all but name: whatever has dispose() is one.
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
    },
  },
  {
    // The pure logic runs and is tested without an editor.
    files: ["src/core/**/*.ts"],
    rules: { "no-restricted-imports": ["error", { paths: ["vscode"], patterns: ["vscode-languageclient*", "../host/*"] }] },
  },
  { files: ["test/**/*.ts"], rules: { "max-lines-per-function": "off" } },
);
