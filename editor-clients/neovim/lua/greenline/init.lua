-- The interface for a user's own configuration.
local M = {}

--- Take options, and enable the server; `vim.lsp.enable('greenline')` alone is enough without any.
---@param options? table<string, any> See `greenline.Options`.
function M.setup(options)
  require('greenline.config').set(options)
  vim.lsp.enable('greenline')
end

--- Return what the agent is doing, for a status line; empty where no server is attached.
---@param bufnr? integer
---@return string
function M.statusline(bufnr)
  return require('greenline.status').line(bufnr)
end

return M
