-- Finds the server of a buffer, and asks it.
local say = require('greenline.say')

local M = {}

--- Return the client of a buffer, else the only one there is.
---@param bufnr? integer
---@return vim.lsp.Client?
function M.of(bufnr)
  bufnr = (bufnr == nil or bufnr == 0) and vim.api.nvim_get_current_buf() or bufnr
  local id = vim.b[bufnr].greenline_client
  local own = id and vim.lsp.get_client_by_id(id)
  if own then
    return own
  end
  local here = vim.lsp.get_clients({ name = 'greenline', bufnr = bufnr })[1]
  if here then
    return here
  end
  local all = vim.lsp.get_clients({ name = 'greenline' })
  return #all == 1 and all[1] or nil
end

--- Return the client of a buffer, or say why there is none.
---@param bufnr? integer
---@return vim.lsp.Client?
function M.require(bufnr)
  local client = M.of(bufnr)
  if client == nil then
    if not vim.lsp.is_enabled('greenline') then
      say.say("It is not enabled: put vim.lsp.enable('greenline') into your init.lua.", vim.log.levels.ERROR)
    elseif not require('greenline.server').find() then
      say.say(require('greenline.server').missing(), vim.log.levels.ERROR)
    else
      say.say(
        'No server follows this buffer; open a file of a project first, or see :checkhealth greenline.',
        vim.log.levels.ERROR
      )
    end
  end
  return client
end

--- Send a request; an error is said, unless `on_error` takes it. That there is no server any more is one too.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param on_result? fun(result: any)
---@param on_error? fun(err: lsp.ResponseError)
---@param bufnr? integer Whose unsent changes go out first.
function M.request(client, method, params, on_result, on_error, bufnr)
  if next(params) == nil then
    params = vim.empty_dict()
  end
  local sent = client:request(method, params, function(err, result)
    if err then
      (on_error or say.error)(err)
    elseif on_result then
      on_result(result)
    end
  end, bufnr or vim.api.nvim_get_current_buf())
  if not sent then
    (on_error or say.error)({ code = 0, message = 'The server is not running; :Agent restart starts it.' })
  end
end

--- Ask the server of a buffer, or say why there is none; an error is said.
---@param bufnr integer? The current one where it is nil.
---@param method string
---@param params table
---@param on_result fun(result: any, client: vim.lsp.Client)
function M.from(bufnr, method, params, on_result)
  local client = M.require(bufnr)
  if client then
    M.request(client, method, params, function(result)
      on_result(result, client)
    end, nil, bufnr)
  end
end

--- Run one of the server's commands.
---@param client vim.lsp.Client
---@param name string Without its prefix.
---@param argument table
---@param on_result? fun(result: any)
---@param on_error? fun(err: lsp.ResponseError)
function M.command(client, name, argument, on_result, on_error)
  local params = { command = 'greenline.server.' .. name, arguments = { argument } }
  M.request(client, 'workspace/executeCommand', params, on_result, on_error)
end

return M
