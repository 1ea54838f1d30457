-- The configuration behind `vim.lsp.enable('greenline')`; a user's own `vim.lsp.config('greenline', …)` wins.
local server = require('greenline.server')

---@type vim.lsp.Config
return {
  cmd = server.start,
  filetypes = require('greenline.config').filetypes,
  root_dir = server.root_dir,
  init_options = { agentUi = true },
  capabilities = server.capabilities(),
  handlers = require('greenline.handlers').notifications,
  commands = require('greenline.handlers').commands,
  flags = { exit_timeout = server.EXIT_MS },
}
